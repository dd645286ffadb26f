import { isPrivateHost, parseUrl } from './baseUrl';

// This host, carrier networks, and link-local addresses, where clouds keep their metadata.
const INTERNAL_V4 = /^(?:0|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
// Unspecified, link-local, and IPv4 addresses within IPv6 ones.
const INTERNAL_V6 = /^\[(?:::\]|fe[89ab]|::ffff:|64:ff9b:)/;

/**
 * Whether an address is one of this machine or of a private or link-local network. What a name resolves
 * to is not checked: n8n has its own guard for that.
 */
export function isInternal(address: string): boolean {
	const hostname = parseUrl(address)?.hostname.replace(/\.$/, '') ?? '';
	return isPrivateHost(hostname) || INTERNAL_V4.test(hostname) || INTERNAL_V6.test(hostname);
}
