import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { isSameOrigin, toBaseUrl } from './baseUrl';

// What an HTTP header may carry: visible ASCII.
const KEY_CHARACTERS = /^[\x21-\x7e]+$/;
const PASSED_ON = [
	...['method', 'qs', 'qsStringifyOptions', 'useQuerystring', 'arrayFormat'],
	...['body', 'form', 'formData', 'json', 'gzip', 'encoding', 'useStream', 'timeout'],
	...['returnFullResponse', 'resolveWithFullResponse', 'ignoreHttpStatusErrors', 'simple'],
	...['abortSignal', 'allowedDomains'],
];
// A server sends back what it got with TRACE, and CONNECT opens a way to elsewhere.
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
// n8n takes the key along to wherever a redirect points. Its two HTTP helpers have names of their own for it.
const NO_REDIRECTS = { disableFollowRedirect: true, followRedirect: false };
const REFUSED = ['proxy', 'auth', 'agent', 'agentOptions', 'httpAgent', 'httpsAgent', 'socketPath'];
// Others could make a server on the way take the request for another one, or drop or show the key.
const REPLACED_HEADERS = ['authorization', 'content-length'];
const HEADERS =
	/^(?:accept(?:-[a-z]+)?|cache-control|content-(?:language|type)|idempotency-key|if-[a-z-]+|prefer|range|traceparent|user-agent|x-request-id)$/;

/**
 * Adds the key to a request to the service. Of the request it takes method, address, query, body, a few
 * headers, and what changes nothing about where it goes. A relative address is taken from the base URL.
 * n8n's own nodes call the address `url` or `uri`.
 * Throws if the base URL can't be used, if the key could not be sent as it is, if the request would go
 * to another origin than the base URL's, and if it holds anything that could redirect or expose the key.
 */
export function signRequest(
	credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions & { uri?: string },
): IHttpRequestOptions {
	const options = request as unknown as Record<string, unknown>;
	const isLegacy = request.uri !== undefined && (request.url as string | undefined) === undefined;
	const address = toAddress(credentials, request.baseURL, String(request.uri ?? request.url));
	checkOptions(options);
	const key = String(credentials.apiKey ?? '').trim();
	if (!KEY_CHARACTERS.test(key)) {
		throw new Error("'API Key' is empty or contains invalid characters");
	}
	const headers = Object.entries(request.headers ?? {}).filter(([name]) => isPassedOn(name));
	const passedOn = PASSED_ON.filter((name) => options[name] !== undefined);
	return {
		...Object.fromEntries(passedOn.map((name) => [name, options[name]])),
		...(isLegacy ? { uri: address } : { url: address }),
		headers: { ...Object.fromEntries(headers), Authorization: `Bearer ${key}` },
		...NO_REDIRECTS,
	} as IHttpRequestOptions;
}

function toAddress(
	credentials: ICredentialDataDecryptedObject,
	typedBase: string | undefined,
	target: string,
): string {
	const baseUrl = toBaseUrl(credentials.baseUrl);
	const isOwnBase = typedBase === undefined || typedBase === credentials.baseUrl;
	const isPath = isOwnBase && target.startsWith('/');
	const address = isPath ? baseUrl + target : absolute(target, typedBase);
	if (isSameOrigin(address, baseUrl)) return address;
	throw new Error(
		"The API key is sent to the host of 'Base URL' only, and this request goes elsewhere",
	);
}

function checkOptions(options: Record<string, unknown>): void {
	const method = String(options.method ?? 'GET');
	if (!METHODS.includes(method.toUpperCase())) {
		throw new Error(`The API key is not sent with the method '${method}'`);
	}
	const refused = REFUSED.find((name) => Boolean(options[name]));
	if (refused !== undefined) {
		throw new Error(`The API key is not sent with the request option '${refused}'`);
	}
	if (options.skipSslCertificateValidation === true || options.rejectUnauthorized === false) {
		throw new Error('The API key is not sent without checking the certificate of the service');
	}
}

function isPassedOn(header: string): boolean {
	const name = header.trim();
	if (REPLACED_HEADERS.includes(name.toLowerCase())) return false;
	if (HEADERS.test(name.toLowerCase())) return true;
	throw new Error(`The API key is not sent with the header '${name}'`);
}

function absolute(target: string, typedBase: string | undefined): string {
	return typedBase === undefined ? target : new URL(target, typedBase).href;
}
