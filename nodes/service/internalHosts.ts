import * as ipaddr from 'ipaddr.js';

// Names without a dot are resolved in the local network.
const PRIVATE_NAMES = /^(?:[^.]*|.+\.localhost|.+\.local)$/;
const PRIVATE_RANGES = ['loopback', 'private', 'uniqueLocal'];
// Networks and clouds use these names for hosts of their own. Not all networks do, so the key must
// not travel there unencrypted.
const INTERNAL_NAMES = /\.(?:internal|lan|home\.arpa)$/;
// Azure's machines reach services of Azure at this address, which is otherwise a public one.
const AZURE_INTERNAL_IP = '168.63.129.16';

/**
 * Whether a host is private, so that the key may travel there unencrypted. Link-local and carrier
 * ranges don't count: other people's machines may be there.
 */
export function isPrivateHost(hostname: string): boolean {
	const range = rangeOf(hostname);
	return range === undefined ? PRIVATE_NAMES.test(hostname) : PRIVATE_RANGES.includes(range);
}

/** Whether an address is not public. What a name resolves to is not checked: n8n can guard that. */
export function isInternal(address: string): boolean {
	const hostname = hostOf(address);
	const range = rangeOf(hostname);
	if (range !== undefined) return range !== 'unicast';
	return PRIVATE_NAMES.test(hostname) || INTERNAL_NAMES.test(hostname);
}

/** Whether an address is link-local, where clouds keep their metadata. */
export function isLinkLocal(address: string): boolean {
	return rangeOf(hostOf(address)) === 'linkLocal';
}

function hostOf(address: string): string {
	return new URL(address).hostname.replace(/\.$/, '');
}

// `URL` writes an IPv4 address as four decimal numbers, and an IPv6 address in brackets.
function rangeOf(hostname: string): string | undefined {
	const host = hostname.replace(/^\[|\]$/g, '');
	if (!ipaddr.isValid(host)) return undefined;
	const ip = ipaddr.process(host);
	if (ip.toString() === AZURE_INTERNAL_IP) return 'reserved';
	const range = ip.range();
	// Only 2000::/3 of IPv6 is public; the library calls unassigned addresses unicast, too.
	const isPublic = ip.kind() === 'ipv4' || /^[23]...:/.test(ip.toNormalizedString());
	return range === 'unicast' && !isPublic ? 'reserved' : range;
}
