import * as ipaddr from 'ipaddr.js';

/**
 * Public addresses, as far as their registries say, that cloud providers answer on inside their
 * machines: Azure's metadata and platform service.
 */
const METADATA = new Set(['168.63.129.16']);

/** The part of IPv6 from which public addresses are given out (RFC 4291 and IANA's registry). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an IPv4 or IPv6 address is one of the public Internet. Private, loopback, link-local,
 * multicast, carrier, reserved and tunnelled (6to4, Teredo, NAT64) ones are not; an IPv4 address
 * that is mapped into IPv6 is judged as what it stands for. A text that is no address is not
 * public either.
 */
export function isPublicAddress(address: string): boolean {
	if (!ipaddr.isValid(address)) return false;

	const parsed = ipaddr.process(address);
	if (parsed.range() !== 'unicast' || METADATA.has(parsed.toString())) return false;
	return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}
