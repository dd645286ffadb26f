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
 * Follows a link of the service to a response with status 200, over five redirects at most. The key
 * goes to the base URL's origin, and to no redirect. With `isUnsigned` the user has entered the
 * link: it may lead to where the user wants, without the key. Throws `invalidLink` for an address
 * that must not be opened.
 */
export async function openLink(
	http: HttpClient,
	link: string,
	transfer: Transfer,
	isUnsigned: boolean,
): Promise<OpenResponse> {
	const { baseUrl } = http.connection;
	let url = toWebUrl(link, `${baseUrl}/`);
	const home = isUnsigned ? url : baseUrl;
	requireAllowed(url, isInternal(home));
	let isSigned = !isUnsigned && isSameOrigin(url, baseUrl);

	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const hop = new AbortController();
		const response = await http.open(
			{ method: 'GET', url, isUnsigned: !isSigned, isFile: true, signal: transfer.stopSignal },
			anySignal(transfer.signal, hop.signal),
		);
		const { statusCode, headers, body } = response;
		if (statusCode === 200) return response;

		// Aborted, since destroying n8n's stream before it was read would leave the connection open.
		body.on('error', () => {});
		hop.abort();
		const isRedirect = statusCode >= 300 && statusCode < 400;
		if (!isRedirect || typeof headers.location !== 'string') {
			throw new ServiceError(statusFacts(response));
		}
		url = toWebUrl(headers.location, url);
		requireAllowed(url, isSameOrigin(url, home));
		isSigned = false;
	}
	throw invalidLinkError(`it redirects more than ${MAX_REDIRECTS} times`);
}

function toWebUrl(link: string, base: string): string {
	const url = parseUrl(link, base);
	if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url.href;
	throw invalidLinkError('its link is not a web address');
}

// Whoever writes links must not reach into the user's network from outside, and nobody must reach
// the metadata of a cloud, which is at link-local addresses.
function requireAllowed(url: string, mayBePrivate: boolean): void {
	if (isLinkLocal(url)) throw invalidLinkError('it is at a link-local address');
	if (isInternal(url) && !mayBePrivate) throw invalidLinkError('it is in a private network');
}

/** A link that can't be followed, and why. */
export function invalidLinkError(detail: string): ServiceError {
	return new ServiceError({ kind: 'invalidLink', detail });
}
