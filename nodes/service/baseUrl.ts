import { invalidSetting } from '../errors/UserError';
import { isPrivateHost } from './internalHosts';

/**
 * The address that all requests start with: without trailing slashes and `/v1`, a path prefix is kept. Throws
 * a `UserError` unless it is http(s), and for http to a public host, where the key would travel unencrypted.
 */
export function toBaseUrl(entered: unknown): string {
	const url = parseUrl(String(entered ?? '').trim());
	if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
		throw invalidSetting(
			"'Base URL' is not a web address",
			"Enter it with its scheme in the Browser Agent API credential, e.g. 'https://api.example.com'.",
		);
	}
	if (url.username + url.password + url.search + url.hash !== '') {
		throw invalidSetting(
			"'Base URL' contains more than an address",
			"Enter scheme, host and, if needed, port and path only: no user name, no '?', no '#'.",
		);
	}
	if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) {
		throw invalidSetting(
			`'Base URL' would send the API key unencrypted to ${url.host}`,
			"Use an 'https://' address. 'http://' is accepted for this machine and for private networks only.",
		);
	}

	const segments = url.pathname.split('/').filter((segment) => segment !== '');
	if (segments.at(-1) === 'v1') segments.pop();
	return [url.origin, ...segments].join('/');
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
