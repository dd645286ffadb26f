import * as ipaddr from 'ipaddr.js';

// Names without a dot resolve only on the local network. The others are reserved for private
// networks, or are what Docker, Kubernetes, clouds and routers call their own hosts.
const PRIVATE_NAMES = /^(?:[^.]*|.+\.(?:localhost|local|internal|lan|home\.arpa|svc))$/;
const PRIVATE_RANGES = ['loopback', 'private', 'uniqueLocal'];
// Within Azure, this public address leads to Azure's own services.
const AZURE_INTERNAL_IP = '168.63.129.16';

/**
 * Whether the host of a `URL` is private, so that the key may be sent there unencrypted. Link-local
 * and carrier ranges don't count: other people's machines may be there.
 */
export function isPrivateHost(hostname: string): boolean {
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

/** Whether the host of a valid URL is a link-local address, where clouds serve their metadata. */
export function isLinkLocal(url: string): boolean {
	return rangeOf(new URL(url).hostname) === 'linkLocal';
}

function hasPrivateName(hostname: string): boolean {
	return PRIVATE_NAMES.test(hostname.replace(/\.$/, ''));
}

// Returns undefined for a name. `URL` writes an IPv4 address as four decimal numbers, and an IPv6
// address in brackets.
function rangeOf(hostname: string): string | undefined {
	const host = hostname.replace(/^\[|\]$/g, '');
	if (!ipaddr.isValid(host)) return undefined;
	const ip = ipaddr.process(host);
	if (ip.toString() === AZURE_INTERNAL_IP) return 'reserved';
	const range = ip.range();
	// Of IPv6, only 2000::/3 is public, but the library calls unassigned addresses unicast, too.
	const isPublic = ip.kind() === 'ipv4' || /^[23]...:/.test(ip.toNormalizedString());
	return range === 'unicast' && !isPublic ? 'reserved' : range;
}
