import * as ipaddr from 'ipaddr.js';

import { configurationError } from '../errors/NodeFailure';

// What people copy along with a key or a URL: white space, invisible characters, quotation marks.
const AROUND = /[\p{White_Space}\p{Cf}\p{Pi}\p{Pf}"'`„]/u;
// What an address may begin with: localhost, a domain, whose last label begins with a letter, a
// single label with a port, or an IP address. A bare word is more likely a value that is missing.
const HOST =
	/^(?:localhost|(?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]*|\p{L}[\p{L}\p{N}_-]*(?=:\d)|\d+(?:\.\d+){3}|\[[\da-f:.]+\])(?=[:/?#]|$)/iu;
// A name with a port behind it is a host, not a scheme.
const SCHEME_OR_PATH = /^(?:[a-z][a-z\d+.-]*:(?!\d+(?:[/?#]|$))|[/?#])/i;

/**
 * Returns the URL that all URLs of the service start with. A path prefix is kept, trailing slashes
 * and one trailing `/v1` are removed. Throws a `NodeFailure` for anything but an http(s) URL, for
 * one with a login, a query or a fragment, and for http to a public host, to which the key would be
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

/**
 * Completes an address that begins with a host: by `http://` for localhost, and for loopback and
 * private IP addresses, where few have a certificate, and by `https://` for any other.
 */
export function withScheme(address: string): string {
	const { hostname } = (HOST.test(address) ? parseUrl(`http://${address}`) : undefined) ?? {};
	if (hostname === undefined) return address;
	const isIp = toIp(hostname) !== undefined;
	const isLocal = isIp ? isPrivateHost(hostname) : /(?:^|\.)localhost$/.test(hostname);
	return `${isLocal ? 'http' : 'https'}://${address}`;
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

/** Decodes a part of a URL; one that is not percent-encoded correctly stays as it is. */
export function decodePart(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

// Names without a dot resolve only on the local network. The others are reserved for private
// networks, or are what Docker, Kubernetes, clouds and routers call their own hosts.
const PRIVATE_NAMES = /^(?:[^.]*|.+\.(?:localhost|local|internal|lan|home\.arpa|svc))$/;
const PRIVATE_RANGES = ['loopback', 'private', 'uniqueLocal'];
// Within Azure, this public address leads to Azure's own services.
const AZURE_INTERNAL_IP = '168.63.129.16';
// Where clouds serve metadata, and with it credentials, besides link-local addresses: AWS (two),
// Alibaba, Oracle and Google.
const METADATA_HOSTS = [
	'fd00:ec2::254',
	'fd00:ec2::23',
	'100.100.100.200',
	'192.0.0.192',
	'metadata.google.internal',
];

/**
 * Whether the host of a `URL` is private, so that the key may be sent there unencrypted. Link-local
 * and carrier ranges don't count: other people's machines may be there.
 */
function isPrivateHost(hostname: string): boolean {
	const range = rangeOf(hostname);
	return range === undefined ? hasPrivateName(hostname) : PRIVATE_RANGES.includes(range);
}

/**
 * Whether the host of a valid URL is not public. What its name resolves to is not checked: n8n's
 * protection against SSRF can do that.
 */
export function isInternal(url: string): boolean {
	const { hostname } = new URL(url);
	const range = rangeOf(hostname);
	return range === undefined ? hasPrivateName(hostname) : range !== 'unicast';
}

/**
 * Whether the host of a valid URL is one where clouds serve their metadata: any link-local address,
 * or one of a list.
 */
export function isMetadata(url: string): boolean {
	const { hostname } = new URL(url);
	const ip = toIp(hostname);
	if (ip === undefined) return METADATA_HOSTS.includes(withoutDot(hostname));
	// NAT64 leads to the IPv4 address in the last four bytes.
	const target = ip.range() === 'rfc6052' ? new ipaddr.IPv4(ip.toByteArray().slice(-4)) : ip;
	return target.range() === 'linkLocal' || METADATA_HOSTS.includes(target.toString());
}

function hasPrivateName(hostname: string): boolean {
	return PRIVATE_NAMES.test(withoutDot(hostname));
}

// A dot at the end of a name only says that it is complete.
function withoutDot(hostname: string): string {
	return hostname.replace(/\.$/, '');
}

// Returns undefined for a name. `URL` writes an IPv4 address as four decimal numbers, and an IPv6
// address in brackets.
function toIp(hostname: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
	const host = hostname.replace(/^\[|\]$/g, '');
	return ipaddr.isValid(host) ? ipaddr.process(host) : undefined;
}

// Returns undefined for a name.
function rangeOf(hostname: string): string | undefined {
	const ip = toIp(hostname);
	if (ip === undefined) return undefined;
	if (ip.toString() === AZURE_INTERNAL_IP) return 'reserved';
	const range = ip.range();
	// Of IPv6, only 2000::/3 is public, but the library calls unassigned addresses unicast, too.
	const isPublic = ip.kind() === 'ipv4' || /^[23]...:/.test(ip.toNormalizedString());
	return range === 'unicast' && !isPublic ? 'reserved' : range;
}

/** Returns a text without the white space, invisible characters and quotation marks around it. */
export function withoutSurroundings(text: string): string {
	const characters = [...text];
	const isKept = (character: string) => !AROUND.test(character);
	const start = characters.findIndex(isKept);
	return start < 0 ? '' : characters.slice(start, characters.findLastIndex(isKept) + 1).join('');
}
