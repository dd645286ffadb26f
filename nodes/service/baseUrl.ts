import { parseUrl } from './parseUrl';

const PRIVATE_NAMES = /^(localhost|.+\.localhost|.+\.local)$/;
const IP_V4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
const UNIQUE_LOCAL_V6 = /^f[cd][0-9a-f]{2}:/;

/** The address in the credential cannot be used; `message` says why and names the field. */
export class BaseUrlError extends Error {
	constructor(
		message: string,
		readonly description: string,
	) {
		super(message);
		this.name = 'BaseUrlError';
	}
}

/**
 * Turns what a user typed into the address all requests start with: no surrounding space, no
 * trailing slash, no trailing `/v1`. A path prefix is kept.
 * Throws a `BaseUrlError` for anything the key must not be sent to: no scheme, another scheme than
 * http(s), and http to a public host, where the key would travel in the open.
 */
export function toBaseUrl(typed: unknown): string {
	if (latest === undefined || latest.typed !== typed) latest = { typed, baseUrl: read(typed) };
	return latest.baseUrl;
}

// n8n signs each request anew, and most of them are for the same address.
let latest: { typed: unknown; baseUrl: string } | undefined;

function read(typed: unknown): string {
	const text = typeof typed === 'string' ? typed.trim() : '';
	if (text === '') {
		throw new BaseUrlError(
			"'Base URL' is empty",
			"Enter the address of the service in the Browser Agent API credential, e.g. 'https://api.example.com'.",
		);
	}

	const url = parseUrl(text);
	if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
		throw new BaseUrlError(
			"'Base URL' is not a web address",
			"Enter it with its scheme in the Browser Agent API credential, e.g. 'https://api.example.com'.",
		);
	}
	if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
		throw new BaseUrlError(
			"'Base URL' has more than an address in it",
			"Enter scheme, host and, if needed, port and path only: no user name, no '?', no '#'.",
		);
	}
	if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) {
		throw new BaseUrlError(
			`'Base URL' would send the API key unencrypted to ${url.host}`,
			"Use an 'https://' address. 'http://' is accepted for this machine and for private networks only.",
		);
	}

	const path = withoutTrailingSlashes(url.pathname);
	const prefix = path.endsWith('/v1') ? withoutTrailingSlashes(path.slice(0, -'/v1'.length)) : path;
	return url.origin + prefix;
}

/**
 * Whether the key may go to `url`: scheme, host and port are the base URL's own.
 * `baseUrl` is one that `toBaseUrl` has returned.
 */
export function isSameOrigin(url: string, baseUrl: string): boolean {
	// The usual case, for which nothing has to be taken apart.
	if (url.startsWith(`${baseUrl}/`)) return true;
	return parseUrl(url)?.origin === new URL(baseUrl).origin;
}

// Link-local and carrier ranges do not count as private: other people's machines may be there.
function isPrivateHost(hostname: string): boolean {
	if (hostname.startsWith('[')) {
		const address = hostname.slice(1, -1);
		return address === '::1' || UNIQUE_LOCAL_V6.test(address);
	}
	const octets = IP_V4.exec(hostname)?.slice(1).map(Number);
	if (octets) {
		const [first = 0, second = 0] = octets;
		return (
			first === 127 ||
			first === 10 ||
			(first === 172 && second >= 16 && second <= 31) ||
			(first === 192 && second === 168)
		);
	}
	return !hostname.includes('.') || PRIVATE_NAMES.test(hostname);
}

// A loop, since a regular expression for this takes quadratic time on a long run of slashes.
function withoutTrailingSlashes(path: string): string {
	let end = path.length;
	while (end > 0 && path[end - 1] === '/') end--;
	return path.slice(0, end);
}
