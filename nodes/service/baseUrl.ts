import { invalidSettingError } from '../errors/invalidSettingError';
import { isInternal, isPrivateHost } from './internalHosts';

// A name that ends like a domain, and not like an IPv4 address.
const DOMAIN = /^(?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]*(?=[:/]|$)/u;

/**
 * The address that all requests start with: without trailing slashes and `/v1`, a path prefix is
 * kept, and a public domain without a scheme gets `https://`. Throws a `UserError` unless it is
 * http(s), and for http to a public host, where the key would travel unencrypted.
 */
export function toBaseUrl(entered: unknown): string {
	const url = parseEntered(String(entered ?? '').trim());
	if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
		throw invalidSettingError(
			"'Base URL' is not a web address",
			"Enter it with its scheme in the Browser Agent API credential, e.g. 'https://api.example.com'.",
		);
	}
	if (url.username + url.password + url.search + url.hash !== '') {
		throw invalidSettingError(
			"'Base URL' contains more than an address",
			"Enter scheme, host and, if needed, port and path only: no user name, no '?', no '#'.",
		);
	}
	if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) {
		throw invalidSettingError(
			`'Base URL' would send the API key unencrypted to ${url.host}`,
			"Use an 'https://' address. 'http://' is accepted for this machine and for private networks only.",
		);
	}

	const segments = url.pathname.split('/').filter((segment) => segment !== '');
	if (segments.at(-1) === 'v1') segments.pop();
	return [url.origin, ...segments].join('/');
}

// Other hosts may well mean http://, so theirs is not guessed.
function parseEntered(entered: string): URL | undefined {
	if (!DOMAIN.test(entered)) return parseUrl(entered);
	const url = parseUrl(`https://${entered}`);
	return url === undefined || isInternal(url.href) ? undefined : url;
}

/** Whether the key may go to `url`: it has scheme, host and port of the base URL. */
export function isSameOrigin(url: string, baseUrl: string): boolean {
	return parseUrl(url)?.origin === new URL(baseUrl).origin;
}

/** The address as a URL, or undefined if it isn't one. With `base` it may be relative. */
export function parseUrl(address: string, base?: string): URL | undefined {
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}
