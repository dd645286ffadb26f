import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { configurationError, type NodeFailure } from '../errors/NodeFailure';
import { isSameOrigin, toBaseUrl, withoutSurroundings } from './baseUrl';

const PREFIX = /^(?:authorization:\s*)?(?:bearer(?=\s|$))?/i;
// Visible ASCII, which an HTTP header may contain.
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const SPACE_OR_CONTROL = /[\p{White_Space}\p{Cc}\p{Cf}]/u;

/**
 * Returns the API key in what was entered: without white space and quotation marks around it, and
 * without a leading `Bearer ` or `Authorization: Bearer `. Returns '' if there is none. Never
 * throws: `checkApiKey` says whether the key can be sent.
 */
export function toApiKey(entered: unknown): string {
	// An expression may yield a number.
	const text = withoutSurroundings(String(entered ?? ''));
	return withoutSurroundings(text.replace(PREFIX, ''));
}

/** Whether a key from `toApiKey` can be sent. */
export function isUsableApiKey(key: string): boolean {
	return VISIBLE_ASCII.test(key);
}

/** Throws a `NodeFailure` that says why a key from `toApiKey` can't be sent, without quoting it. */
export function checkApiKey(key: string): void {
	if (key === '') throw keyError('is empty');
	if (SPACE_OR_CONTROL.test(key)) throw keyError('contains white space or control characters');
	if (!VISIBLE_ASCII.test(key)) {
		throw keyError("contains characters that an HTTP header can't contain");
	}
}

function keyError(what: string): NodeFailure {
	return configurationError(
		`'API Key' ${what}`,
		'Enter the key again in the Browser Agent API credential. If it is an expression, check its value for this item.',
	);
}

// The lists below keep the key from people who may use a shared credential, e.g. in n8n's HTTP
// Request node, but can't read it.

// Not TRACE, in response to which a server returns the request, nor CONNECT, which opens a tunnel.
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
// Other options could redirect the request or disable the check of the certificate.
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
// Other headers could make an intermediary misinterpret the request, or drop or expose the key.
const HEADERS =
	/^(?:accept|accept-[a-z]+|cache-control|content-language|content-type|idempotency-key|if-[a-z-]+|prefer|range|traceparent|user-agent|x-request-id)$/i;
// n8n would send the key to wherever a redirect points. Its two HTTP helpers name this option
// differently.
const NO_REDIRECTS = { disableFollowRedirect: true, followRedirect: false };

/**
 * Returns a request with the API key, which follows no redirects. Of `request` it keeps only the
 * URL, and the options and headers that are listed above. Throws a `NodeFailure`, which proves that
 * nothing was sent, if the base URL or the key can't be used, if the request goes to another origin
 * than the base URL's, and for a method that is not listed.
 */
export function addApiKey(
	credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions & { uri?: string },
): IHttpRequestOptions {
	// n8n's HTTP Request node has the URL in `uri`.
	const urlOption = request.uri === undefined ? 'url' : 'uri';
	const url = String(request[urlOption]);
	if (!isSameOrigin(url, toBaseUrl(credentials.baseUrl))) {
		throw configurationError(
			"The API key is sent to the host of 'Base URL' only, and this request goes elsewhere",
			"Send the request to the host of 'Base URL', or without this credential.",
		);
	}
	const { method = 'GET' } = request;
	if (!METHODS.includes(method.toUpperCase())) {
		throw configurationError(
			`The API key is not sent with the method '${method}'`,
			`Use one of these methods: ${METHODS.join(', ')}.`,
		);
	}
	const key = toApiKey(credentials.apiKey);
	checkApiKey(key);
	const options = Object.entries(request).filter(([name]) => OPTIONS.includes(name));
	const headers = Object.entries(request.headers ?? {}).filter(([name]) => HEADERS.test(name));
	return {
		...Object.fromEntries(options),
		[urlOption]: url,
		headers: { ...Object.fromEntries(headers), Authorization: `Bearer ${key}` },
		...NO_REDIRECTS,
	} as unknown as IHttpRequestOptions;
}
