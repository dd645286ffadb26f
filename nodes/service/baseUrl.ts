import { configurationError } from '../errors/UserError';
import { withoutSurroundings } from './apiKey';
import { isPrivateHost } from './internalHosts';

// The last label of a domain begins with a letter, unlike the last number of an IPv4 address.
const DOMAIN_OR_LOCALHOST =
	/^(?:localhost|(?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]*)(?=[:/?#]|$)/iu;
// A name with a port behind it is a host, not a scheme.
const SCHEME_OR_PATH = /^(?:[a-z][a-z\d+.-]*:(?!\d+(?:[/?#]|$))|[/?#])/i;

/**
 * Returns the URL that all URLs of the service start with. A path prefix is kept, trailing slashes
 * and one trailing `/v1` are removed. Throws a `UserError` for anything but an http(s) URL, for one
 * with a login, a query or a fragment, and for http to a public host, to which the key would be
 * sent unencrypted.
 */
export function toBaseUrl(entered: unknown): string {
	const url = parseUrl(withScheme(withoutSurroundings(String(entered ?? ''))));
	if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
		throw configurationError(
			"'Base URL' is not a valid URL",
			"In the Browser Agent API credential, enter the URL with its scheme, e.g. 'https://api.example.com' or, in a private network, 'http://browser-agent:3400'.",
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

/** Puts `https://` in front of an address that begins with a domain or `localhost`. */
export function withScheme(address: string): string {
	return DOMAIN_OR_LOCALHOST.test(address) ? `https://${address}` : address;
}

/**
 * Whether `url` has the scheme, host and port of the base URL, so that the key may be sent there.
 */
export function isSameOrigin(url: string, baseUrl: string): boolean {
	return parseUrl(url)?.origin === new URL(baseUrl).origin;
}

/** Whether a text is a web address without its scheme, e.g. `example.com/a` or `localhost:80`. */
export function lacksScheme(text: string): boolean {
	return !SCHEME_OR_PATH.test(text) && parseUrl(`http://${text}`) !== undefined;
}

/** Parses a URL, which may be relative to `base`. Returns undefined if it is not valid. */
export function parseUrl(url: string, base?: string): URL | undefined {
	try {
		return new URL(url, base);
	} catch {
		return undefined;
	}
}
