import { configurationError } from '../errors/configurationError';
import type { UserError } from '../errors/UserError';
import { withoutSurroundings } from './apiKey';
import { isInternal, isPrivateHost } from './internalHosts';

const LABEL = /^[\p{L}\p{N}_-]+$/u;
// The last label of a domain begins with a letter, unlike the last number of an IPv4 address.
const LAST_LABEL = /\.\p{L}[\p{L}\p{N}-]*$/u;
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
// A name with a port behind it is a host, not a scheme.
const SCHEME_OR_PATH = /^(?:[a-z][a-z\d+.-]*:(?!\d+(?:[/?#]|$))|[/?#])/i;
// A path that ends in an endpoint of the service, such as an address copied from its document.
const ENDPOINT =
	/(?:\/v1\/health|(?:\/v1)?\/(?:run_browser_agent|get_credit_balance|(?:get_job_status|get_job_files|pause_job|resume_job|workflows\/run-with-payload)(?:\/[^/]*)?))$/i;

/**
 * Returns the URL that all URLs of the service start with. A path prefix is kept, trailing slashes
 * and `/v1` are removed, and a public domain without a scheme gets `https://`. Throws a `UserError`
 * for anything but an http(s) URL, for one with a login, a query or a fragment, for the URL of an
 * endpoint, and for http to a public host, to which the key would be sent unencrypted.
 */
export function toBaseUrl(entered: unknown): string {
	const text = withoutSurroundings(String(entered ?? ''));
	const url = parseEntered(text);
	if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
		throw invalidUrlError(text);
	}
	const segments = url.pathname.split('/').filter((segment) => segment !== '');
	const path = ['', ...segments].join('/');
	const [endpoint] = ENDPOINT.exec(path) ?? [];
	if (endpoint !== undefined) {
		const rest = path.slice(0, -endpoint.length);
		throw configurationError(
			`'Base URL' contains the path of an endpoint: ${endpoint}`,
			`In the Browser Agent API credential, enter the URL without it: '${url.origin}${rest}'.`,
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

	if (segments.at(-1) === 'v1') segments.pop();
	return [url.origin, ...segments].join('/');
}

function invalidUrlError(entered: string): UserError {
	if (entered !== '' && !SCHEME.test(entered)) {
		return configurationError(
			"'Base URL' has no scheme",
			"In the Browser Agent API credential, put 'https://' in front of it or, for a host in a private network, 'http://', e.g. 'http://localhost:3400'.",
		);
	}
	return configurationError(
		"'Base URL' is not a valid URL",
		"In the Browser Agent API credential, enter the URL with its scheme, e.g. 'https://api.example.com'.",
	);
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
