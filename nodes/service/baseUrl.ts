import { UserError } from '../errors/UserError';

const PRIVATE_NAMES = /^(?:localhost|.+\.localhost|.+\.local)$/;
const IP_V4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
const UNIQUE_LOCAL_V6 = /^f[cd][0-9a-f]{2}:/;

/**
 * Turns what a user entered into the address that all requests start with: without surrounding space,
 * trailing slashes and a trailing `/v1`. A path prefix is kept.
 * Throws a `UserError` for anything that the key must not be sent to: no scheme, another scheme than
 * http(s), and http to a public host, where the key would travel unencrypted.
 */
export function toBaseUrl(entered: unknown): string {
	const text = typeof entered === 'string' ? entered.trim() : '';
	if (text === '') {
		throw unusable(
			"'Base URL' is empty",
			"Enter the address of the service in the Browser Agent API credential, e.g. 'https://api.example.com'.",
		);
	}

	const url = parseUrl(text);
	if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
		throw unusable(
			"'Base URL' is not a web address",
			"Enter it with its scheme in the Browser Agent API credential, e.g. 'https://api.example.com'.",
		);
	}
	if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
		throw unusable(
			"'Base URL' contains more than an address",
			"Enter scheme, host and, if needed, port and path only: no user name, no '?', no '#'.",
		);
	}
	if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) {
		throw unusable(
			`'Base URL' would send the API key unencrypted to ${url.host}`,
			"Use an 'https://' address. 'http://' is accepted for this machine and for private networks only.",
		);
	}

	const path = withoutTrailingSlashes(url.pathname);
	const prefix = path.endsWith('/v1') ? withoutTrailingSlashes(path.slice(0, -'/v1'.length)) : path;
	return url.origin + prefix;
}

/** Whether the key may go to `url`: it has scheme, host and port of the base URL. */
export function isSameOrigin(url: string, baseUrl: string): boolean {
	return parseUrl(url)?.origin === new URL(baseUrl).origin;
}

/** The address as a URL, or undefined if it isn't one. */
export function parseUrl(address: string): URL | undefined {
	try {
		return new URL(address);
	} catch {
		return undefined;
	}
}

function unusable(message: string, description: string): UserError {
	return new UserError(message, { description, failure: { cause: 'configuration-invalid' } });
}

/**
 * Whether a host is this machine or in a private network, by its address or name. Link-local and carrier
 * ranges don't count: other people's machines may be there.
 */
export function isPrivateHost(hostname: string): boolean {
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

// A loop, since a regular expression takes quadratic time on a long run of slashes.
function withoutTrailingSlashes(path: string): string {
	let end = path.length;
	while (end > 0 && path[end - 1] === '/') end--;
	return path.slice(0, end);
}
