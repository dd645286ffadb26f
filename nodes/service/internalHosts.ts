// As `URL` writes hosts: an IPv4 address always as four decimal numbers.
const PRIVATE_HOSTS = [
	// Names without a dot are looked up in the own network.
	/^(?:[^.[]*|.+\.localhost|.+\.local)$/,
	/^(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+)+$/,
	/^\[(?:::1\]|f[cd][0-9a-f]{2}:)/,
];
const INTERNAL_HOSTS = [
	...PRIVATE_HOSTS,
	// This host, carrier networks, and link-local addresses, where clouds keep their metadata.
	/^(?:0|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./,
	// Unspecified, link-local, and IPv4 addresses within IPv6 ones.
	/^\[(?:::\]|fe[89ab]|::ffff:|64:ff9b:)/,
];

/**
 * Whether the host of a URL is this machine or in a private network, by its address or name. Link-local
 * and carrier ranges don't count: other people's machines may be there.
 */
export function isPrivateHost(hostname: string): boolean {
	return PRIVATE_HOSTS.some((hosts) => hosts.test(hostname));
}

/**
 * Whether an address is one of this machine or of a private or link-local network. What a name resolves
 * to is not checked: n8n has its own guard for that.
 */
export function isInternal(address: string): boolean {
	const hostname = new URL(address).hostname.replace(/\.$/, '');
	return INTERNAL_HOSTS.some((hosts) => hosts.test(hostname));
}
