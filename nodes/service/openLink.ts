import { anySignal } from '../async/abortSignals';
import { ServiceError } from '../errors/ServiceError';
import { isSameOrigin, parseUrl } from './baseUrl';
import type { HttpClient } from './HttpClient';
import type { OpenResponse } from './httpResponse';
import { isInternal, isLinkLocal } from './internalHosts';
import { statusFacts } from './responseError';

const MAX_REDIRECTS = 5;

/** How to open a link. */
export interface OpenOptions {
	/** Whether the user entered the link. */
	isFromUser: boolean;
	/** Ends the request, or the reading of its response, with `aborted`. */
	signal?: AbortSignal;
	/** Ends the request, or the reading of its response, for another reason. */
	limit: AbortSignal;
}

/**
 * Opens a link, follows up to five redirects, and returns the response with status 200.
 *
 * A link from the service may lead to an internal host only if the base URL's host is internal. The
 * key is sent only to the base URL's origin, and never to the target of a redirect.
 *
 * A link that the user entered may lead to an internal host. The key is never sent.
 *
 * A redirect may lead to an internal host only within the link's own origin or, for a link from the
 * service, to the base URL's origin.
 *
 * Throws `invalidLink` for a URL that must not be opened and for too many redirects, and an error
 * for any status but 200.
 */
export async function openLink(
	http: HttpClient,
	link: string,
	{ isFromUser, signal, limit }: OpenOptions,
): Promise<OpenResponse> {
	const { baseUrl } = http.connection;
	let url = toWebUrl(link, `${baseUrl}/`);
	const trustedUrls = isFromUser ? [url] : [url, baseUrl];
	requireAllowed(url, isFromUser || isInternal(baseUrl));
	let sendsKey = !isFromUser && isSameOrigin(url, baseUrl);

	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const hop = new AbortController();
		const response = await http.open(
			{ method: 'GET', url, omitsKey: !sendsKey, isFile: true, signal },
			anySignal(limit, hop.signal),
		);
		const { statusCode, headers, body } = response;
		if (statusCode === 200) return response;

		// Destroying n8n's stream before it was read would leave the connection open.
		body.on('error', () => {});
		hop.abort();
		const isRedirect = statusCode >= 300 && statusCode < 400;
		if (!isRedirect || typeof headers.location !== 'string') {
			throw new ServiceError(statusFacts(response));
		}
		const target = toWebUrl(headers.location, url);
		const isTrusted = trustedUrls.some((trusted) => isSameOrigin(target, trusted));
		requireAllowed(target, isTrusted);
		url = target;
		sendsKey = false;
	}
	throw invalidLinkError(`it redirects more than ${MAX_REDIRECTS} times`);
}

function toWebUrl(link: string, base: string): string {
	const url = parseUrl(link, base);
	if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url.href;
	throw invalidLinkError('its link is not a valid URL');
}

// Protects against SSRF: a link from outside must not lead into the user's network, and no link may
// lead to a cloud's metadata service, which is at a link-local address.
function requireAllowed(url: string, mayBePrivate: boolean): void {
	if (isLinkLocal(url)) throw invalidLinkError('it is at a link-local address');
	if (isInternal(url) && !mayBePrivate) throw invalidLinkError('it is in a private network');
}

/** Returns the error for a link that can't be followed, with the reason as its `detail`. */
export function invalidLinkError(detail: string): ServiceError {
	return new ServiceError({ kind: 'invalidLink', detail });
}
