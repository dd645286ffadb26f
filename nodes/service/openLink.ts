import { anySignal } from '../async/abortSignals';
import { ServiceError } from '../errors/ServiceError';
import { isSameOrigin, parseUrl } from './baseUrl';
import type { HttpClient } from './HttpClient';
import type { OpenResponse } from './httpResponse';
import { isInternal, isLinkLocal } from './internalHosts';
import { statusFacts } from './responseError';
import type { Transfer } from './Transfer';

const MAX_REDIRECTS = 5;

/**
 * Opens a link, follows up to five redirects, and returns the response with status 200.
 *
 * A link from the service: the key is sent only to the base URL's origin, and never to the target
 * of a redirect. The link may lead to an internal host only if the base URL's host is internal, and
 * a redirect may do so only within the base URL's origin.
 *
 * A link that the user entered (`isFromUser`): the key is never sent. The link may lead to an
 * internal host, and so may a redirect within the link's origin.
 *
 * Throws `invalidLink` for a URL that must not be opened and for too many redirects, and an error
 * for any status but 200.
 */
export async function openLink(
	http: HttpClient,
	link: string,
	transfer: Transfer,
	isFromUser: boolean,
): Promise<OpenResponse> {
	const { baseUrl } = http.connection;
	let url = toWebUrl(link, `${baseUrl}/`);
	const trustedUrl = isFromUser ? url : baseUrl;
	requireAllowed(url, isInternal(trustedUrl));
	let sendsKey = !isFromUser && isSameOrigin(url, baseUrl);

	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const hop = new AbortController();
		const response = await http.open(
			{ method: 'GET', url, omitsKey: !sendsKey, isFile: true, signal: transfer.stopSignal },
			anySignal(transfer.signal, hop.signal),
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
		url = toWebUrl(headers.location, url);
		requireAllowed(url, isSameOrigin(url, trustedUrl));
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
