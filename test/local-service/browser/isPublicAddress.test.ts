import { isPublicAddress } from '../../../local-service/browser/isPublicAddress';

describe('A public address', () => {
	it.each(['1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001:80b::200e'])(
		'is %s',
		(address) => {
			expect(isPublicAddress(address)).toBe(true);
		},
	);

	it.each([
		['loopback', '127.0.0.1'],
		['another loopback', '127.8.9.10'],
		['IPv6 loopback', '::1'],
		['this network', '0.0.0.0'],
		['unspecified', '::'],
		['private', '10.1.2.3'],
		['private', '172.16.0.1'],
		['private', '192.168.1.1'],
		['unique local', 'fd00::1'],
		["AWS's metadata in IPv6", 'fd00:ec2::254'],
		['link-local, with the metadata of most clouds', '169.254.169.254'],
		['IPv6 link-local', 'fe80::1'],
		['IPv6 site-local', 'fec0::1'],
		["a carrier's, with Alibaba's metadata", '100.100.100.200'],
		["Azure's metadata", '168.63.129.16'],
		["Oracle's metadata", '192.0.0.192'],
		['multicast', '224.0.0.251'],
		['IPv6 multicast', 'ff02::fb'],
		['broadcast', '255.255.255.255'],
		['reserved', '240.0.0.1'],
		['benchmarks', '198.18.0.1'],
		['documentation', '192.0.2.1'],
		['documentation in IPv6', '2001:db8::1'],
		['mapped', '::ffff:127.0.0.1'],
		['mapped in hexadecimal', '::ffff:7f00:1'],
		['IPv4-compatible', '::127.0.0.1'],
		['NAT64', '64:ff9b::7f00:1'],
		['local NAT64', '64:ff9b:1::7f00:1'],
		['6to4', '2002:7f00:1::'],
		['Teredo', '2001:0:7f00:1::'],
		['no registry has it', '4000::1'],
		['a name', 'localhost'],
		['nothing', ''],
	])('is not %s: %s', (_range, address) => {
		expect(isPublicAddress(address)).toBe(false);
	});

	// What these spell depends on who reads them: names like these are looked up, and what comes
	// back is judged.
	it.each(['127.1', '0x7f.0.0.1', '017700000001', '2130706433', '[::1]', '127.0.0.1.'])(
		'is not %s',
		(spelling) => {
			expect(isPublicAddress(spelling)).toBe(false);
		},
	);

	it('is judged as such in IPv6, too', () => {
		expect(isPublicAddress('::ffff:1.1.1.1')).toBe(true);
	});
});
