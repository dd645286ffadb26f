import { configurationError } from '../errors/configurationError';
import { isInternal, isPrivateHost } from './internalHosts';

const LABEL = /^[\p{L}\p{N}_-]+$/u;
// The last label of a domain begins with a letter, unlike the last number of an IPv4 address.
const LAST_LABEL = /\.\p{L}[\p{L}\p{N}-]*$/u;

/**
 * Returns the URL that all URLs of the service start with. A path prefix is kept, trailing slashes
 * and `/v1` are removed, and a public domain without a scheme gets `https://`. Throws a `UserError`
 * for anything but an http(s) URL, for one with a login, a query or a fragment, and for http to a
 * public host, to which the key would be sent unencrypted.
 */
export function toBaseUrl(entered: unknown): string {
	const url = parseEntered(String(entered ?? '').trim());
	if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
		throw configurationError(
			"'Base URL' is not a valid URL",
			"In the Browser Agent API credential, enter the URL with its scheme, e.g. 'https://api.example.com'.",
		);
	}
	if (url.username + url.password + url.search + url.hash !== '') {
		throw configurationError(
			"'Base URL' contains more than scheme, host, port and path",
			"Enter scheme, host and, if needed, port and path only: no user name, no '?', no '#'.",
		);
	}
	if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) {
		throw configurationError(
			`'Base URL' would send the API key unencrypted to ${url.host}`,
			"Use an 'https://' address. 'http://' is accepted only for the machine that n8n runs on and for private networks.",
		);
	}

	const segments = url.pathname.split('/').filter((segment) => segment !== '');
	if (segments.at(-1) === 'v1') segments.pop();
	return [url.origin, ...segments].join('/');
}

// Adds the scheme for public domains only: for other hosts, http:// may be meant.
function parseEntered(entered: string): URL | undefined {
	if (!startsWithDomain(entered)) return parseUrl(entered);
	const url = parseUrl(`https://${entered}`);
	return url === undefined || isInternal(url.href) ? undefined : url;
}

function startsWithDomain(entered: string): boolean {
	const [host = ''] = entered.split(/[:/]/, 1);
	return LAST_LABEL.test(host) && host.split('.').every((label) => LABEL.test(label));
}

/**
 * Whether `url` has the scheme, host and port of the base URL, so that the key may be sent there.
 */
export function isSameOrigin(url: string, baseUrl: string): boolean {
	return parseUrl(url)?.origin === new URL(baseUrl).origin;
}

/** Parses a URL, which may be relative to `base`. Returns undefined if it is not valid. */
export function parseUrl(url: string, base?: string): URL | undefined {
	try {
		return new URL(url, base);
	} catch {
		return undefined;
	}
}
