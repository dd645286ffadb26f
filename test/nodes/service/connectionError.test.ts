import dns from 'node:dns';

import { NodeApiError } from 'n8n-workflow';

import type { ServiceErrorFacts } from '../../../nodes/errors/ServiceError';
import { toConnectionError } from '../../../nodes/service/connectionError';
import { toAgentStart } from '../../../nodes/service/startRequests';
import { connectClient, serviceErrorOf } from '../../support/connectClient';
import { agentNode } from '../../support/runNode';
import { testClock } from '../../support/testClock';
import { setClock } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

const URL = 'https://api.example.com/v1/health';

/** An error of Node.js; `syscall` is what the system was asked for. */
function errorWith(code: unknown, syscall?: string) {
	return Object.assign(new Error('It did not work'), { code, syscall });
}

describe('toConnectionError', () => {
	it.each([
		['ENOTFOUND', 'unreachable', 'the host name is unknown'],
		['EAI_AGAIN', 'unreachable', 'the host name could not be looked up'],
		['ECONNREFUSED', 'unreachable', 'the connection was refused'],
		...[
			...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_UNTRUSTED'],
			...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
			'SELF_SIGNED_CERT_IN_CHAIN',
		].map((code) => [
			code,
			'untrustedCertificate',
			`the host's certificate is not trusted (${code})`,
		]),
		...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'].map((code) => [
			code,
			'expiredCertificate',
			`the host's certificate is not valid at this time (${code})`,
		]),
		...['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_REVOKED', 'UNABLE_TO_GET_CRL'].map((code) => [
			code,
			'unreachable',
			`the host's certificate is not accepted (${code})`,
		]),
		['ESOCKETTIMEDOUT', 'timeout', 'it took too long'],
		['ECONNABORTED', 'timeout', 'it took too long'],
		['ERR_CANCELED', 'timeout', 'it took too long'],
		['EPROTO', 'encryptionFailed', 'the encryption failed'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'encryptionFailed', 'the encryption failed'],
		['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'connectionLost', 'the connection was closed'],
		['EPIPE', 'connectionLost', 'the connection was closed'],
		['A_CODE_OF_NEXT_YEAR', 'connectionLost', 'the connection was closed'],
	])('reads the code %s', (code, kind, detail) => {
		expect(toConnectionError(errorWith(code), URL)).toEqual({ kind, detail });
	});

	it.each([
		['EHOSTUNREACH', 'connectionLost'],
		['ETIMEDOUT', 'timeout'],
		['ECONNRESET', 'connectionLost'],
	])('takes %s for unreachable only while connecting', (code, kind) => {
		expect(toConnectionError(errorWith(code, 'read'), URL).kind).toBe(kind);
		expect(toConnectionError(errorWith(code, 'connect'), URL)).toEqual({
			kind: 'unreachable',
			detail: `the connection could not be made (${code})`,
		});
	});

	it.each([
		["n8n's error", new NodeApiError(agentNode({}), errorWith('ECONNREFUSED') as never)],
		['an error without a code', new Error('No', { cause: errorWith('ECONNREFUSED') })],
		[
			'a general code',
			Object.assign(errorWith('ERR_NETWORK'), { cause: errorWith('ECONNREFUSED') }),
		],
	])('finds the code within %s', (_label, error) => {
		expect(toConnectionError(error, URL).detail).toBe('the connection was refused');
	});

	it.each([
		['an error without a code', new Error('This address is blocked'), 'This address is blocked'],
		['nothing', undefined, 'undefined'],
	])('takes %s for a request that was not sent', (_label, error, detail) => {
		expect(toConnectionError(error, URL)).toEqual({ kind: 'notSent', detail });
	});

	it.each([
		['the port of its scheme', 'https://api.example.com/v1', { address: '10.0.0.9', port: 443 }],
		['a port of its own', 'http://api.local:8000/v1', { address: '10.0.0.9', port: 8000 }],
		['an IPv6 address', 'http://[::1]:8000/v1', { address: '::1', port: 8000 }],
		['a name in capitals', 'https://API.example.com/v1', { hostname: 'api.example.com' }],
	])('takes a host with %s for the service itself', (_label, url, peer) => {
		const error = Object.assign(errorWith('ECONNREFUSED', 'connect'), peer);

		expect(toConnectionError(error, url).kind).toBe('unreachable');
	});

	it.each([
		['has another port', URL, { address: '10.0.0.9', port: 3128 }, '10.0.0.9:3128'],
		[
			'has another address',
			'http://10.0.0.1:3128',
			{ address: '10.0.0.9', port: 3128 },
			'10.0.0.9:3128',
		],
		['has an IPv6 address', URL, { address: 'fd00::9', port: 3128 }, '[fd00::9]:3128'],
	])('takes what refused the connection for a proxy if it %s', (_label, url, peer, shown) => {
		const error = Object.assign(errorWith('ECONNREFUSED', 'connect'), peer);

		expect(toConnectionError(error, url)).toEqual({
			kind: 'proxyUnreachable',
			detail: `the connection to the proxy (${shown}) was refused`,
		});
	});

	it('takes a host that is unknown for a proxy if it has another name', () => {
		const error = Object.assign(errorWith('ENOTFOUND'), { hostname: 'proxy.corp' });

		expect(toConnectionError(error, URL)).toEqual({
			kind: 'proxyUnreachable',
			detail: 'the host name of the proxy (proxy.corp) is unknown',
		});
	});

	it('finds the proxy whose addresses all refused the connection', () => {
		const refused = (address: string) =>
			Object.assign(errorWith('ECONNREFUSED', 'connect'), { address, port: 3128 });
		const error = Object.assign(new AggregateError([refused('::1'), refused('127.0.0.1')]), {
			code: 'ECONNREFUSED',
		});

		expect(toConnectionError(error, URL).detail).toBe(
			'the connection to the proxy ([::1]:3128) was refused',
		);
	});
});

describe('A start on the network', () => {
	const server = useServer();
	const secureServer = useServer({ tls: true });
	beforeEach(() => setClock(testClock()));
	afterAll(() => setClock());

	it.each<[string, () => string, ServiceErrorFacts]>([
		[
			'the connection is refused',
			() => 'http://127.0.0.1:1',
			{ kind: 'unreachable', detail: 'the connection was refused' },
		],
		[
			'both addresses of its host refuse the connection',
			() => 'http://localhost:1',
			{ kind: 'unreachable', detail: 'the connection was refused' },
		],
		[
			'the certificate is not trusted',
			() => secureServer.url,
			{
				kind: 'untrustedCertificate',
				detail: "the host's certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)",
			},
		],
	])('was not processed if %s', async (_label, url, facts) => {
		const error = await startErrorAt(url());

		expect(error.facts).toEqual(facts);
		expect(error.provesNothingWasDone).toBe(true);
		expect(secureServer.arrivals).toEqual([]);
	});

	it('was not processed if one address of its host is unreachable and the other one refuses', async () => {
		const lookup = resolveTo('255.255.255.255', '127.0.0.1');

		const error = await startErrorAt('http://service.internal:1');

		lookup.mockRestore();
		expect(error.facts).toEqual({ kind: 'unreachable', detail: 'the connection was refused' });
		expect(error.provesNothingWasDone).toBe(true);
	});

	it('was not processed if no address of its host can be reached', async () => {
		const lookup = resolveTo('255.255.255.255', '224.0.0.1');

		const error = await startErrorAt('http://service.internal:1');

		lookup.mockRestore();
		expect(error.kind).toBe('unreachable');
		expect(error.provesNothingWasDone).toBe(true);
	});

	it.each<[string, string, () => string]>([
		['http://', 'HTTP_PROXY', () => server.url],
		['https://', 'HTTPS_PROXY', () => secureServer.url],
		['either scheme', 'ALL_PROXY', () => secureServer.url],
	])('was not processed if the proxy for %s refuses the connection', async (_label, name, url) => {
		const error = await withEnvironment({ [name]: 'http://127.0.0.1:1' }, async () => {
			return await startErrorAt(url());
		});

		expect(error.facts).toEqual({
			kind: 'proxyUnreachable',
			detail: 'the connection to the proxy (127.0.0.1:1) was refused',
		});
		expect(error.provesNothingWasDone).toBe(true);
		expect([...server.arrivals, ...secureServer.arrivals]).toEqual([]);
	});

	it('is unclear after a failed encryption, which may also happen on an open connection', async () => {
		const error = await startErrorAt(server.url.replace('http:', 'https:'));

		expect(error.facts).toEqual({ kind: 'encryptionFailed', detail: 'the encryption failed' });
		expect(error.provesNothingWasDone).toBe(false);
	});

	it.each([
		['answered with something other than HTTP', '220 mail.example.com ESMTP\r\n'],
		[
			'cut within the response',
			'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"job_id": "job_1"}',
		],
		[
			'cut within a response of unknown length',
			'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n{"job_id": "job_1"}\r\n',
		],
	])('is unclear if the connection is %s', async (_label, sent) => {
		server.answers((_arrival, { socket }) => socket?.end(sent, () => socket.destroy()));

		const error = await startErrorAt(server.url);

		expect(error.kind).toBe('connectionLost');
		expect(error.provesNothingWasDone).toBe(false);
		expect(server.arrivals).toHaveLength(1);
	});
});

/** Makes every name resolve to these addresses. */
function resolveTo(...addresses: string[]) {
	const found = addresses.map((address) => ({ address, family: 4 }));
	type Callback = (error: null, found: dns.LookupAddress[]) => void;
	return jest
		.spyOn(dns, 'lookup')
		.mockImplementation(((_name: string, _options: unknown, callback: Callback) =>
			setImmediate(callback, null, found)) as never);
}

async function startErrorAt(baseUrl: string) {
	const client = await connectClient({ baseUrl });
	return await serviceErrorOf(client.startJob(toAgentStart({ directive: 'Go' }), { group: '1' }));
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];

/** Does something with these variables about proxies in the environment, and no others. */
async function withEnvironment<T>(
	variables: Record<string, string>,
	action: () => Promise<T>,
): Promise<T> {
	const names = PROXY_VARIABLES.flatMap((name) => [name, name.toLowerCase()]);
	const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
	for (const name of names) delete process.env[name];
	Object.assign(process.env, variables);
	try {
		return await action();
	} finally {
		for (const name of names) {
			delete process.env[name];
			if (before[name] !== undefined) process.env[name] = before[name];
		}
	}
}
