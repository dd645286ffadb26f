import { isInternal } from '../../../nodes/service/internalHosts';

describe('isInternal', () => {
	it.each([
		'http://localhost/a',
		'http://LOCALHOST./a',
		'http://files.localhost/',
		'http://intranet/',
		'http://127.0.0.1/',
		'http://2130706433/',
		'http://0.0.0.0/',
		'http://10.1.2.3/',
		'http://169.254.169.254/latest/meta-data',
		'http://100.64.0.1/',
		'http://[::1]/',
		'http://[fe80::1]/',
		'http://[fd00::1]/',
		'http://[::ffff:127.0.0.1]/',
		'http://[::7f00:1]/',
		'http://[fec0::1]/',
		'http://[ff02::1]/',
		'http://[2002:7f00:1::]/',
		'http://192.0.0.8/',
		'http://198.18.0.1/',
		'http://224.0.0.1/',
		'http://255.255.255.255/',
		'http://[64:ff9b::7f00:1]/',
		'http://168.63.129.16/',
		'http://[::ffff:168.63.129.16]/',
		'http://metadata.google.internal/',
		'http://NAS.lan./',
		'http://printer.home.arpa/',
		'http://host.docker.internal:8000/',
		'http://agent.default.svc/',
		'http://agent.default.svc.cluster.local/',
	])('is true for %s', (address) => {
		expect(isInternal(address)).toBe(true);
	});

	it.each([
		'https://files.example.com/a',
		'https://localhost.example.com/',
		'https://internal.example.com/',
		'https://example.com.lan.example/',
		'https://api.notinternal/',
		'https://api.asvc/',
		'https://168.63.129.17/',
		'https://93.184.216.34/',
		'http://172.32.0.1/',
		'http://100.128.0.1/',
		'http://[::ffff:93.184.216.34]/',
		'http://[2606:2800:220:1:248:1893:25c8:1946]/',
	])('is false for %s', (address) => {
		expect(isInternal(address)).toBe(false);
	});
});
