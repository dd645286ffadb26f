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
const REFUSED = ['proxy', 'auth', 'agent', 'agentOptions', 'httpAgent', 'httpsAgent', 'socketPath'];
// These could make a server behind the service's gateway take the request for another one.
const REFUSED_HEADERS = /^(?:host|via|forwarded|x-forwarded-|x-original-|x-rewrite-|proxy-)/i;

/**
 * Adds the key to a request to the service. Of the request it takes method, address, query, body and
 * what changes nothing about where it goes. A relative address is taken from the base URL. n8n's own
 * nodes call the address `url` or `uri`.
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
		...(isLegacy ? { uri: address, followRedirect: false } : { url: address }),
		headers: { ...Object.fromEntries(headers), Authorization: `Bearer ${key}` },
		// n8n takes the key along to wherever a redirect points.
		disableFollowRedirect: true,
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
	const refused = REFUSED.find((name) => Boolean(options[name]));
	if (refused !== undefined) {
		throw new Error(`The API key is not sent with the request option '${refused}'`);
	}
	if (options.skipSslCertificateValidation === true || options.rejectUnauthorized === false) {
		throw new Error('The API key is not sent without checking the certificate of the service');
	}
}

function isPassedOn(header: string): boolean {
	if (!REFUSED_HEADERS.test(header.trim())) return header.trim().toLowerCase() !== 'authorization';
	throw new Error(`The API key is not sent with the header '${header.trim()}'`);
}

function absolute(target: string, typedBase: string | undefined): string {
	return typedBase === undefined ? target : new URL(target, typedBase).href;
}
