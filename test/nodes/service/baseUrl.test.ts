import fc from 'fast-check';

import { BaseUrlError, isSameOrigin, toBaseUrl } from '../../../nodes/service/baseUrl';

function refusalOf(typed: unknown): BaseUrlError {
	try {
		toBaseUrl(typed);
	} catch (error) {
		if (error instanceof BaseUrlError) return error;
	}
	throw new Error('It was not refused');
}

describe('the base URL', () => {
	it.each([
		['as it is', 'https://api.example.com', 'https://api.example.com'],
		['without surrounding space', '  https://api.example.com\n', 'https://api.example.com'],
		['without a trailing slash', 'https://api.example.com/', 'https://api.example.com'],
		['without many trailing slashes', 'https://api.example.com///', 'https://api.example.com'],
		['without a trailing /v1', 'https://api.example.com/v1', 'https://api.example.com'],
		['without /v1 and slashes', 'https://api.example.com//v1//', 'https://api.example.com'],
		['without one of two /v1', 'https://api.example.com/v1/v1', 'https://api.example.com/v1'],
		['with a path prefix', 'https://example.com/agents', 'https://example.com/agents'],
		['with a prefix before /v1', 'https://example.com/agents/v1/', 'https://example.com/agents'],
		['with a prefix that ends like v1', 'https://example.com/apiv1', 'https://example.com/apiv1'],
		['with another version', 'https://api.example.com/v2', 'https://api.example.com/v2'],
		['with a port', 'https://api.example.com:8443/v1', 'https://api.example.com:8443'],
		['without the usual port', 'https://api.example.com:443', 'https://api.example.com'],
		['in small letters', 'HTTPS://API.Example.COM/Agents', 'https://api.example.com/Agents'],
		['with an IPv6 host', 'https://[2001:db8::1]/v1', 'https://[2001:db8::1]'],
		['to a public IP', 'https://203.0.113.7', 'https://203.0.113.7'],
		['to a link-local IP over https', 'https://169.254.1.1', 'https://169.254.1.1'],
		['with a name in another script', 'https://münchen.example', 'https://xn--mnchen-3ya.example'],
	])('is taken %s', (_label, typed, baseUrl) => {
		expect(toBaseUrl(typed)).toBe(baseUrl);
	});

	it.each([
		['localhost', 'http://localhost:3400', 'http://localhost:3400'],
		['a name below localhost', 'http://agents.localhost', 'http://agents.localhost'],
		['a name below local', 'http://nas.local/v1', 'http://nas.local'],
		['a host name of one word', 'http://browser-agent:3400', 'http://browser-agent:3400'],
		['the loopback address', 'http://127.0.0.1:3400', 'http://127.0.0.1:3400'],
		['another loopback address', 'http://127.8.9.10', 'http://127.8.9.10'],
		['the loopback address of IPv6', 'http://[::1]:3400/v1', 'http://[::1]:3400'],
		['the same, written out', 'http://[0:0:0:0:0:0:0:1]', 'http://[::1]'],
		['the first of 10/8', 'http://10.0.0.0', 'http://10.0.0.0'],
		['the last of 10/8', 'http://10.255.255.255', 'http://10.255.255.255'],
		['the first of 172.16/12', 'http://172.16.0.0', 'http://172.16.0.0'],
		['the last of 172.16/12', 'http://172.31.255.255', 'http://172.31.255.255'],
		['192.168/16', 'http://192.168.1.20:8080', 'http://192.168.1.20:8080'],
		['the first of fc00::/7', 'http://[fc00::]', 'http://[fc00::]'],
		['the last of fc00::/7', 'http://[fdff:ffff::1]', 'http://[fdff:ffff::1]'],
		['loopback in hexadecimal', 'http://0x7f.1', 'http://127.0.0.1'],
		['loopback as one number', 'http://2130706433', 'http://127.0.0.1'],
		['loopback in octal', 'http://0177.0.0.1', 'http://127.0.0.1'],
	])('may be http on a private network: %s', (_label, typed, baseUrl) => {
		expect(toBaseUrl(typed)).toBe(baseUrl);
	});

	it.each([
		['a public name', 'http://api.example.com', 'api.example.com'],
		['a public name with a port', 'http://api.example.com:8080', 'api.example.com:8080'],
		[
			'a public name that begins like a private one',
			'http://localhost.example.com',
			'localhost.example.com',
		],
		[
			'a public name that ends like a private one',
			'http://notlocalhost.example',
			'notlocalhost.example',
		],
		['a public IP', 'http://203.0.113.7', '203.0.113.7'],
		['a public IP in hexadecimal', 'http://0xcb.0x00.0x71.0x07', '203.0.113.7'],
		['a public IP as one number', 'http://3405803783', '203.0.113.7'],
		['the address below 172.16/12', 'http://172.15.255.255', '172.15.255.255'],
		['the address above 172.16/12', 'http://172.32.0.0', '172.32.0.0'],
		['the address above 192.168/16', 'http://192.169.0.0', '192.169.0.0'],
		['the address above 10/8', 'http://11.0.0.0', '11.0.0.0'],
		['any address', 'http://0.0.0.0:3400', '0.0.0.0:3400'],
		['any address, for short', 'http://0', '0.0.0.0'],
		['any address of IPv6', 'http://[::]', '[::]'],
		['a link-local address', 'http://169.254.169.254', '169.254.169.254'],
		['a link-local address of IPv6', 'http://[fe80::1]', '[fe80::1]'],
		['a carrier address', 'http://100.64.0.1', '100.64.0.1'],
		['a public address of IPv6', 'http://[2001:db8::1]', '[2001:db8::1]'],
		['the address above fc00::/7', 'http://[fe00::1]', '[fe00::1]'],
		['a public IP within IPv6', 'http://[::ffff:203.0.113.7]', '[::ffff:cb00:7107]'],
		['a name that looks like an IP', 'http://10.0.0.1.example.com', '10.0.0.1.example.com'],
		['a name with a closing dot', 'http://example.com.', 'example.com.'],
	])(
		'must be https anywhere else, since the key would travel in the open: %s',
		(_l, typed, host) => {
			const convert = () => toBaseUrl(typed);

			expect(convert).toThrow(BaseUrlError);
			expect(convert).toThrow(`'Base URL' would send the API key unencrypted to ${host}`);
		},
	);

	it.each([
		['nothing', '', 'is empty'],
		['space', ' \t ', 'is empty'],
		['no text', 12, 'is empty'],
		['undefined', undefined, 'is empty'],
		['null', null, 'is empty'],
		['no scheme', 'api.example.com', 'is not a web address'],
		['no scheme, but a path', 'api.example.com/v1', 'is not a web address'],
		['no scheme, but a port', 'localhost:3400', 'is not a web address'],
		['another scheme', 'ftp://api.example.com', 'is not a web address'],
		['a browser address', 'wss://api.example.com', 'is not a web address'],
		['a file', 'file:///etc/passwd', 'is not a web address'],
		['a script', 'javascript:alert(1)', 'is not a web address'],
		['a scheme alone', 'https://', 'is not a web address'],
		['a broken IPv6 address', 'https://[::1', 'is not a web address'],
		['an impossible port', 'https://api.example.com:99999', 'is not a web address'],
		['space in the host', 'https://api example.com', 'is not a web address'],
		['a user name', 'https://me@api.example.com', 'has more than an address in it'],
		['a password', 'https://:secret@api.example.com', 'has more than an address in it'],
		['a query', 'https://api.example.com?key=1', 'has more than an address in it'],
		['a fragment', 'https://api.example.com/#v1', 'has more than an address in it'],
	])('is refused with %s', (_label, typed, message) => {
		const convert = () => toBaseUrl(typed);

		expect(convert).toThrow(BaseUrlError);
		expect(convert).toThrow(`'Base URL' ${message}`);
	});

	it.each([
		['nothing', '', 'in the Browser Agent API credential'],
		['no scheme', 'api.example.com', "e.g. 'https://api.example.com'"],
		['more than an address', 'https://a@b.example', 'no user name'],
		['http to a public host', 'http://api.example.com', "Use an 'https://' address"],
	])('says what to enter in place of %s', (_label, typed, advice) => {
		expect(refusalOf(typed).description).toContain(advice);
	});

	it('never shows a password that was typed into it', () => {
		const { message, description } = refusalOf('http://me:hunter2@api.example.com');

		expect(message + description).not.toContain('hunter2');
	});

	it('is read in no time, however many slashes it has', () => {
		const began = performance.now();

		const baseUrl = toBaseUrl(`https://api.example.com/${'/'.repeat(200_000)}x`);

		expect(baseUrl).toHaveLength('https://api.example.com/x'.length + 200_000);
		expect(performance.now() - began).toBeLessThan(1_000);
	});

	it('of any web address has no trailing slash and the same origin, or is refused', () => {
		fc.assert(
			fc.property(fc.webUrl({ withFragments: false, withQueryParameters: false }), (typed) => {
				let baseUrl: string;
				try {
					baseUrl = toBaseUrl(typed);
				} catch (error) {
					expect(error).toBeInstanceOf(BaseUrlError);
					return;
				}

				expect(baseUrl).not.toMatch(/\/$/);
				expect(isSameOrigin(typed, baseUrl)).toBe(true);
			}),
		);
	});
});

describe("the key's home", () => {
	const baseUrl = 'https://api.example.com/agents';

	it.each([
		['a path below the base URL', 'https://api.example.com/agents/v1/health'],
		['another path of the host', 'https://api.example.com/files/1'],
		['the usual port, written out', 'https://api.example.com:443/'],
		['the host in capitals', 'https://API.EXAMPLE.COM/'],
	])('is at %s', (_label, url) => {
		expect(isSameOrigin(url, baseUrl)).toBe(true);
	});

	it.each([
		['another host', 'https://example.com/'],
		['a host below', 'https://files.api.example.com/'],
		['a host that begins alike', 'https://api.example.com.evil.example/'],
		['a user name that looks like the host', 'https://api.example.com@evil.example/'],
		['another port', 'https://api.example.com:8443/'],
		['another scheme', 'http://api.example.com/'],
		['no web address', 'data:text/plain,hello'],
		['a path alone', '/v1/health'],
		['an address without a scheme', '//api.example.com/v1/health'],
		['nothing', ''],
	])('is not at %s', (_label, url) => {
		expect(isSameOrigin(url, baseUrl)).toBe(false);
	});
});
