import fc from 'fast-check';

import { NodeFailure } from '../../../nodes/errors/NodeFailure';
import { isInternal, toBaseUrl } from '../../../nodes/service/baseUrl';

function userErrorOf(entered: unknown): NodeFailure {
	try {
		toBaseUrl(entered);
	} catch (error) {
		if (error instanceof NodeFailure) return error;
	}
	throw new Error('Accepted, or rejected with another error');
}

describe('toBaseUrl', () => {
	it.each([
		['without surrounding space', '  https://api.example.com\n', 'https://api.example.com'],
		['without invisible characters', '\u200bhttps://example.com/v1\u200b', 'https://example.com'],
		['without quotes', '"https://api.example.com"', 'https://api.example.com'],
		['without trailing slashes', 'https://api.example.com///', 'https://api.example.com'],
		['without a trailing /v1', 'https://api.example.com/v1', 'https://api.example.com'],
		['without one of two /v1', 'https://api.example.com/v1/v1', 'https://api.example.com/v1'],
		['with a prefix that ends like /v1', 'https://example.com/apiv1', 'https://example.com/apiv1'],
		['with a link-local IP over https', 'https://169.254.1.1', 'https://169.254.1.1'],
		['with a name in another script', 'https://münchen.example', 'https://xn--mnchen-3ya.example'],
	])('takes an https address %s', (_label, entered, baseUrl) => {
		expect(toBaseUrl(entered)).toBe(baseUrl);
	});

	it.each([
		['a domain', 'api.example.com', 'https://api.example.com'],
		['a domain with a port and /v1', ' api.example.com:8443/v1/ ', 'https://api.example.com:8443'],
		['a domain in another script', 'bücher.example', 'https://xn--bcher-kva.example'],
		['a host name of one label with a port', 'browser-agent:3400/v1', 'https://browser-agent:3400'],
		['a name that a router gives', 'nas.lan:3400', 'https://nas.lan:3400'],
		['a public IP', '203.0.113.7:3400', 'https://203.0.113.7:3400'],
		['a link-local IP', '169.254.1.1', 'https://169.254.1.1'],
		['a public IPv6 address', '[2001:db8::1]', 'https://[2001:db8::1]'],
		['a name that begins as localhost', 'localhost.example.com', 'https://localhost.example.com'],
	])('completes %s by https://', (_label, entered, baseUrl) => {
		expect(toBaseUrl(entered)).toBe(baseUrl);
	});

	it.each([
		['localhost', 'localhost:3400/v1', 'http://localhost:3400'],
		['localhost without a port', '"LocalHost"', 'http://localhost'],
		['a name in .localhost', 'agent.localhost:3400', 'http://agent.localhost:3400'],
		['a loopback IP', '127.0.0.1:3400', 'http://127.0.0.1:3400'],
		['a private IP', '192.168.1.20/agents', 'http://192.168.1.20/agents'],
		['a loopback IPv6 address', '[::1]:3400', 'http://[::1]:3400'],
		['a private IPv6 address', '[fd12::7]/v1', 'http://[fd12::7]'],
	])('completes %s by http://', (_label, entered, baseUrl) => {
		expect(toBaseUrl(entered)).toBe(baseUrl);
	});

	it.each([
		['localhost', 'http://localhost:3400', 'http://localhost:3400'],
		['a host name of one label', 'http://browser-agent:3400', 'http://browser-agent:3400'],
		['the host of a Docker container', 'http://host.docker.internal:8000'],
		['a name that a router gives', 'http://nas.lan:3400'],
		['a service of Kubernetes by its full name', 'http://agent.default.svc.cluster.local'],
		['a name with a dot at its end', 'http://nas.lan./v1', 'http://nas.lan.'],
		['loopback', 'http://127.0.0.1:3400', 'http://127.0.0.1:3400'],
		['loopback in hexadecimal', 'http://0x7f.1', 'http://127.0.0.1'],
		['loopback of IPv6', 'http://[::1]:3400/v1', 'http://[::1]:3400'],
		['the last of 10/8', 'http://10.255.255.255', 'http://10.255.255.255'],
		['192.168/16', 'http://192.168.1.20:8080', 'http://192.168.1.20:8080'],
		['the last of fc00::/7', 'http://[fdff:ffff::1]', 'http://[fdff:ffff::1]'],
	])('takes http for a private host: %s', (_label, entered, baseUrl = entered) => {
		expect(toBaseUrl(entered)).toBe(baseUrl);
	});

	it.each([
		['a public name', 'http://api.example.com:8080', 'api.example.com:8080'],
		['a name that starts like a private one', 'http://localhost.example.com'],
		['a name that ends like a private one', 'http://not.alocalhost'],
		['a public IP as one number', 'http://3405803783', '203.0.113.7'],
		['any address', 'http://0.0.0.0:3400', '0.0.0.0:3400'],
		['a link-local address', 'http://169.254.169.254'],
		['a carrier address', 'http://100.64.0.1'],
		['a public address of IPv6', 'http://[2001:db8::1]'],
		['a public IP within IPv6', 'http://[::ffff:203.0.113.7]', '[::ffff:cb00:7107]'],
		['a name that starts like an IP', 'http://10.0.0.1.example.com'],
		['a name that ends like one of Kubernetes', 'http://agent.notsvc'],
		['an address that a cloud uses for itself', 'http://168.63.129.16'],
	])('rejects http for any other host: %s', (_label, entered, host = new URL(entered).host) => {
		expect(userErrorOf(entered).message).toBe(
			`'Base URL' would send the API key unencrypted to ${host}`,
		);
	});

	it.each([
		['an empty text', ''],
		['null', null],
		['another scheme', 'ftp://api.example.com'],
		['space in the host', 'https://api example.com'],
		['a word', 'undefined'],
		['a number', '3400'],
		['a time', '12:30'],
		['an e-mail address', 'me@example.com'],
		['an IP with other characters', '10.0.0.1x'],
		['a relative address', '//api.example.com'],
	])('rejects %s', (_label, entered) => {
		expect(userErrorOf(entered)).toMatchObject({
			message: "'Base URL' is not a valid URL",
			details: {
				description: expect.stringContaining('enter the URL with its scheme') as string,
				failure: { cause: 'configuration-invalid' },
			},
		});
	});

	it.each([
		['a user name', 'https://me@api.example.com'],
		['a query', 'https://api.example.com/?key=1'],
		['a fragment', 'https://api.example.com/#top'],
	])('rejects an address with %s', (_label, entered) => {
		expect(userErrorOf(entered).message).toBe(
			"'Base URL' contains more than scheme, host, port and path",
		);
	});

	it('keeps the origin of any web address and leaves no trailing slash', () => {
		const addresses = fc
			.webUrl({ withFragments: false, withQueryParameters: false })
			.filter((entered) => entered.startsWith('https:'));

		fc.assert(
			fc.property(addresses, (entered) => {
				const baseUrl = toBaseUrl(entered);

				expect(baseUrl).not.toMatch(/\/$/);
				expect(new URL(baseUrl).origin).toBe(new URL(entered).origin);
			}),
		);
	});
});

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
		'http://192.0.0.8/',
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
