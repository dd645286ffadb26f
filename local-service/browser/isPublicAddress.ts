import os from 'node:os';

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

/**
 * Whether a public address is one of this machine, which answers on it behind its firewall, or one
 * of its IPv6 network, in which private devices have public addresses. The address at which a
 * router is seen from outside is not known here.
 */
export function isOwnAddress(address: string): boolean {
	const parsed = ipaddr.process(address);
	return Object.values(os.networkInterfaces())
		.flatMap((addresses = []) => addresses)
		.some(({ address: own, cidr }) => {
			const ownParsed = ipaddr.process(own.replace(/%.*/, ''));
			if (ownParsed.toString() === parsed.toString()) return true;
			if (ownParsed.kind() !== 'ipv6' || parsed.kind() !== 'ipv6' || cidr === null) return false;
			return parsed.match(ipaddr.parseCIDR(cidr));
		});
}
