import dns from 'node:dns';

import { NodeApiError } from 'n8n-workflow';

import { toConnectionError } from '../../../nodes/service/connectionError';
import { toAgentStart } from '../../../nodes/service/types';
import { connectClient, serviceErrorOf } from '../../support/connectClient';
import { agentNode } from '../../support/runNode';
import { testClock } from '../../support/testClock';
import { setClock } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

/** An error of Node.js; `syscall` is what the system was asked for. */
function errorWith(code: unknown, syscall?: string, message = 'It did not work') {
	return Object.assign(new Error(message), { code, syscall });
}

describe('toConnectionError', () => {
	it.each([
		...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'].map((code) => [code, 'unreachable']),
		...[
			...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_UNTRUSTED'],
			...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_REVOKED'],
			...['SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'],
			...['ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_GET_CRL'],
		].map((code) => [code, 'unreachable']),
		...['ETIMEDOUT', 'ESOCKETTIMEDOUT'].map((code) => [code, 'timeout']),
		...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'EPIPE', 'A_CODE_OF_NEXT_YEAR'].map((code) => [
			code,
			'connectionLost',
		]),
		['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'connectionLost'],
	])('takes %s for %s, and has its message and code', (code, kind) => {
		expect(toConnectionError(errorWith(code))).toEqual({
			kind,
			code,
			detail: `It did not work (${code})`,
		});
	});

	it.each(['ERR_CANCELED', 'ECONNABORTED'])('has no detail of our own limit: %s', (code) => {
		expect(toConnectionError(errorWith(code, undefined, 'canceled'))).toEqual({ kind: 'timeout' });
	});

	it('does not repeat a code that the message contains', () => {
		const message = 'connect ECONNREFUSED 10.0.0.9:3128';

		const { detail } = toConnectionError(errorWith('ECONNREFUSED', 'connect', message));

		expect(detail).toBe(message);
	});

	it.each([
		['EHOSTUNREACH', 'connectionLost'],
		['ETIMEDOUT', 'timeout'],
		['ECONNRESET', 'connectionLost'],
	])('takes %s for unreachable only while connecting', (code, kind) => {
		expect(toConnectionError(errorWith(code, 'read')).kind).toBe(kind);
		expect(toConnectionError(errorWith(code, 'connect')).kind).toBe('unreachable');
	});

	it.each([
		["n8n's error", new NodeApiError(agentNode({}), errorWith('ECONNREFUSED') as never)],
		['an error without a code', new Error('No', { cause: errorWith('ECONNREFUSED') })],
		[
			'a general code',
			Object.assign(errorWith('ERR_NETWORK'), { cause: errorWith('ECONNREFUSED') }),
		],
	])('finds the code within %s', (_label, error) => {
		expect(toConnectionError(error)).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' });
	});

	it('has the last error with a code if there was one for each address of a host', () => {
		const errors = [
			errorWith('EHOSTUNREACH', 'connect', 'connect EHOSTUNREACH ::1:443'),
			errorWith('ECONNREFUSED', 'connect', 'connect ECONNREFUSED 127.0.0.1:443'),
			new Error('No'),
		];
		const error = Object.assign(new AggregateError(errors), { code: 'EHOSTUNREACH' });

		expect(toConnectionError(new Error('', { cause: error }))).toEqual({
			kind: 'unreachable',
			code: 'ECONNREFUSED',
			detail: 'connect ECONNREFUSED 127.0.0.1:443',
		});
	});

	it.each([
		['an error without a code', new Error('This address is blocked'), 'This address is blocked'],
		['nothing', undefined, 'undefined'],
	])('takes %s for a request that was not sent', (_label, error, detail) => {
		expect(toConnectionError(error)).toEqual({ kind: 'notSent', detail });
	});
});

describe('A start on the network', () => {
	const server = useServer();
	const secureServer = useServer({ tls: true });
	beforeEach(() => setClock(testClock()));
	afterAll(() => setClock());

	it.each<[string, () => string, string, string]>([
		[
			'the connection is refused',
			() => 'http://127.0.0.1:1',
			'ECONNREFUSED',
			'connect ECONNREFUSED 127.0.0.1:1',
		],
		[
			'all addresses of its host refuse the connection',
			() => 'http://localhost:1',
			'ECONNREFUSED',
			'connect ECONNREFUSED 127.0.0.1:1',
		],
		[
			'the certificate is not trusted',
			() => secureServer.url,
			'DEPTH_ZERO_SELF_SIGNED_CERT',
			'self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
		],
	])('was not processed if %s', async (_label, url, code, detail) => {
		const error = await startErrorAt(url());

		expect(error.facts).toEqual({ kind: 'unreachable', code, detail });
		expect(error.provesNothingWasDone).toBe(true);
		expect(secureServer.arrivals).toEqual([]);
	});

	it('was not processed if one address of its host is unreachable and the other one refuses', async () => {
		const lookup = resolveTo('255.255.255.255', '127.0.0.1');

		const error = await startErrorAt('http://service.internal:1');

		lookup.mockRestore();
		expect(error.facts.detail).toBe('connect ECONNREFUSED 127.0.0.1:1');
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

		expect(error.facts).toMatchObject({
			kind: 'unreachable',
			detail: 'connect ECONNREFUSED 127.0.0.1:1',
		});
		expect(error.provesNothingWasDone).toBe(true);
		expect([...server.arrivals, ...secureServer.arrivals]).toEqual([]);
	});

	it('is unclear after a failed encryption, which may also happen on an open connection', async () => {
		const error = await startErrorAt(server.url.replace('http:', 'https:'));

		expect(error.facts).toMatchObject({
			kind: 'connectionLost',
			code: 'EPROTO',
			detail: expect.stringContaining('wrong version number') as string,
		});
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
