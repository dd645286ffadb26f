import { anySignal } from '../async/abortSignals';
import { rethrown, ServiceError } from '../errors/ServiceError';
import { isSameOrigin } from './baseUrl';
import type { HttpClient } from './HttpClient';
import type { OpenResponse } from './httpResponse';
import { isInternal } from './internalHosts';
import { statusFacts } from './responseError';
import type { Transfer } from './Transfer';

const MAX_REDIRECTS = 5;

/**
 * Follows a link and its redirects to a response with status 200, whose body `transfer` may end. The key
 * goes to the base URL's own origin only, and to no redirect. Throws a `ServiceError`.
 */
export async function openLink(
	http: HttpClient,
	link: string,
	transfer: Transfer,
	isUnsigned: boolean,
): Promise<OpenResponse> {
	const { baseUrl } = http.connection;
	let url = toFileUrl(link, baseUrl);
	let isSigned = !isUnsigned && isSameOrigin(url, baseUrl);
	// Whoever writes links or redirects must not reach into the user's network from outside.
	const mayBeInternal = isInternal(isUnsigned ? url : baseUrl);
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		if (isInternal(url) && !mayBeInternal) throw invalidLink('it is in a private network');
		const hop = new AbortController();
		const response = await http.open(
			{ method: 'GET', url, isUnsigned: !isSigned, isFile: true, signal: transfer.stopSignal },
			anySignal(transfer.signal, hop.signal),
		);
		const { statusCode, headers, stream } = response;
		if (statusCode === 200) return response;

		// Aborted, since destroying n8n's stream before it was read would leave the connection open.
		stream.on('error', () => {});
		hop.abort();
		const isRedirect = statusCode >= 300 && statusCode < 400;
		if (!isRedirect || typeof headers.location !== 'string') {
			throw new ServiceError(statusFacts(response, http.connection.clock));
		}
		url = toFileUrl(headers.location, url);
		isSigned = false;
	}
	throw invalidLink(`it redirects more than ${MAX_REDIRECTS} times`);
}

function toFileUrl(link: string, base: string): string {
	let url: URL;
	try {
		url = new URL(link, `${base}${base.endsWith('/') ? '' : '/'}`);
	} catch {
		throw rethrown(invalidLink('its link is not an address'));
	}
	if (!['http:', 'https:'].includes(url.protocol)) {
		throw invalidLink('its link is not a web address');
	}
	return url.href;
}

/** A link that can't be followed, and why. */
export function invalidLink(detail: string): ServiceError {
	return new ServiceError({ kind: 'invalidLink', detail });
}
