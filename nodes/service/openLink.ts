import { anySignal } from '../async/abortSignals';
import { ServiceError } from '../errors/ServiceError';
import { isSameOrigin, parseUrl } from './baseUrl';
import type { HttpClient } from './HttpClient';
import type { OpenResponse } from './httpResponse';
import { isInternal, isLinkLocal } from './internalHosts';
import { statusFacts } from './responseError';
import type { Transfer } from './Transfer';

const MAX_REDIRECTS = 5;

/** Follows a link to a response with status 200. The key goes to the base URL's origin, not to redirects. */
export async function openLink(
	http: HttpClient,
	link: string,
	transfer: Transfer,
	isUnsigned: boolean,
): Promise<OpenResponse> {
	const { baseUrl } = http.connection;
	let url = toWebUrl(link, `${baseUrl}/`);
	let isSigned = !isUnsigned && isSameOrigin(url, baseUrl);
	// Whoever writes links must not reach into the user's network from outside.
	if (!isUnsigned && isInternal(url) && !isInternal(baseUrl)) throw privateNetworkError();
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
		const target = toWebUrl(headers.location, url);
		// A redirect must not lead into a private network, except to the same host.
		const isAllowed = !isInternal(target) || (isSameOrigin(target, url) && !isLinkLocal(target));
		if (!isAllowed) throw privateNetworkError();
		url = target;
		isSigned = false;
	}
	throw invalidLink(`it redirects more than ${MAX_REDIRECTS} times`);
}

function toWebUrl(link: string, base: string): string {
	const url = parseUrl(link, base);
	if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url.href;
	throw invalidLink('its link is not a web address');
}

function privateNetworkError(): ServiceError {
	return invalidLink('it is in a private network');
}

/** A link that can't be followed, and why. */
export function invalidLink(detail: string): ServiceError {
	return new ServiceError({ kind: 'invalidLink', detail });
}
