import { NodeApiError } from 'n8n-workflow';

import { toConnectionError } from '../../../nodes/service/connectionError';
import { toAgentStart } from '../../../nodes/service/startRequests';
import { connectClient, serviceErrorOf } from '../../support/connectClient';
import { agentNode } from '../../support/runNode';
import { testClock } from '../../support/testClock';
import { setClock } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

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
			...['CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
			...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
		].map((code) => [code, 'unreachable', `the host's certificate is not accepted (${code})`]),
		['ESOCKETTIMEDOUT', 'timeout', 'it took too long'],
		['ECONNABORTED', 'timeout', 'it took too long'],
		['ERR_CANCELED', 'timeout', 'it took too long'],
		['EPROTO', 'encryptionFailed', 'the encryption failed'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'encryptionFailed', 'the encryption failed'],
		['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'connectionLost', 'the connection was closed'],
		['EPIPE', 'connectionLost', 'the connection was closed'],
		['A_CODE_OF_NEXT_YEAR', 'connectionLost', 'the connection was closed'],
	])('reads the code %s', (code, kind, detail) => {
		expect(toConnectionError(errorWith(code))).toEqual({ kind, detail });
	});

	it.each([
		['EHOSTUNREACH', 'connectionLost'],
		['ETIMEDOUT', 'timeout'],
		['ECONNRESET', 'connectionLost'],
	])('takes %s for unreachable only while connecting', (code, kind) => {
		expect(toConnectionError(errorWith(code, 'read')).kind).toBe(kind);
		expect(toConnectionError(errorWith(code, 'connect'))).toEqual({
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
		expect(toConnectionError(error).detail).toBe('the connection was refused');
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

	it.each([
		['the connection is refused', () => 'http://127.0.0.1:1', 'the connection was refused'],
		[
			'both addresses of its host refuse the connection',
			() => 'http://localhost:1',
			'the connection was refused',
		],
		[
			'the certificate is not trusted',
			() => secureServer.url,
			"the host's certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)",
		],
	])('was not processed if %s', async (_label, url, detail) => {
		const error = await startErrorAt(url());

		expect(error.facts).toEqual({ kind: 'unreachable', detail });
		expect(error.provesNothingWasDone).toBe(true);
		expect(secureServer.arrivals).toEqual([]);
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

async function startErrorAt(baseUrl: string) {
	const client = await connectClient({ baseUrl });
	return await serviceErrorOf(client.startJob(toAgentStart({ directive: 'Go' }), { group: '1' }));
}
