import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { isSameOrigin, toBaseUrl } from './baseUrl';

// What an HTTP header may carry: visible ASCII.
const KEY_CHARACTERS = /^[\x21-\x7e]+$/;
// A server sends back what it got with TRACE, and CONNECT opens a way to elsewhere.
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
// Others could lead the request elsewhere, or switch off the check of the certificate.
const OPTIONS = [
	'method',
	'qs',
	'qsStringifyOptions',
	'useQuerystring',
	'arrayFormat',
	'body',
	'form',
	'formData',
	'json',
	'gzip',
	'encoding',
	'useStream',
	'timeout',
	'returnFullResponse',
	'resolveWithFullResponse',
	'ignoreHttpStatusErrors',
	'simple',
	'abortSignal',
	'allowedDomains',
];
// Others could make a server on the way take the request for another one, or drop or show the key.
const HEADERS =
	/^(?:accept(?:-[a-z]+)?|cache-control|content-(?:language|type)|idempotency-key|if-[a-z-]+|prefer|range|traceparent|user-agent|x-request-id)$/i;
// n8n takes the key along to wherever a redirect points. Its two HTTP helpers have names of their
// own for it.
const NO_REDIRECTS = { disableFollowRedirect: true, followRedirect: false };

/**
 * Adds the key to a request, of which it takes method, address, and the options and headers listed
 * above. Throws if the base URL or the key can't be used, for another origin than the base URL's or
 * another method.
 */
export function signRequest(
	credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions & { uri?: string },
): IHttpRequestOptions {
	// n8n's HTTP Request node calls the address `uri`.
	const addressName = request.uri === undefined ? 'url' : 'uri';
	const address = String(request[addressName]);
	if (!isSameOrigin(address, toBaseUrl(credentials.baseUrl))) {
		throw new Error(
			"The API key is sent to the host of 'Base URL' only, and this request goes elsewhere",
		);
	}
	const { method = 'GET' } = request;
	if (!METHODS.includes(method.toUpperCase())) {
		throw new Error(`The API key is not sent with the method '${method}'`);
	}
	const key = String(credentials.apiKey ?? '').trim();
	if (!KEY_CHARACTERS.test(key)) {
		throw new Error("'API Key' is empty or contains invalid characters");
	}
	const options = Object.entries(request).filter(([name]) => OPTIONS.includes(name));
	const headers = Object.entries(request.headers ?? {}).filter(([name]) => HEADERS.test(name));
	return {
		...Object.fromEntries(options),
		[addressName]: address,
		headers: { ...Object.fromEntries(headers), Authorization: `Bearer ${key}` },
		...NO_REDIRECTS,
	} as unknown as IHttpRequestOptions;
}
