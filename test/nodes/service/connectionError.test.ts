import { NodeApiError } from 'n8n-workflow';
import { createServer, type AddressInfo, type Server } from 'node:net';

import { toConnectionError } from '../../../nodes/service/connectionError';
import { toAgentStart } from '../../../nodes/service/startRequests';
import { connectClient, serviceErrorOf } from '../../support/connectClient';
import { agentNode } from '../../support/runNode';
import { setClock } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

/** An error of Node.js; `connect` is what it says of a connection that could not be made. */
function errorWith(
	code: unknown,
	{ syscall = 'connect', cause }: { syscall?: string; cause?: Error } = {},
) {
	return Object.assign(new Error('It did not work', { cause }), { code, syscall });
}

describe('toConnectionError', () => {
	it.each([
		['ENOTFOUND', 'unreachable', 'the host name is unknown'],
		['EAI_AGAIN', 'unreachable', 'the host name could not be looked up'],
		['ECONNREFUSED', 'unreachable', 'the connection was refused'],
		['CERT_HAS_EXPIRED', 'unreachable', "the host's certificate has expired"],
		['CERT_NOT_YET_VALID', 'unreachable', "the host's certificate is not valid yet"],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'unreachable', "the host's certificate is self-signed"],
		['SELF_SIGNED_CERT_IN_CHAIN', 'unreachable', "the host's certificate is self-signed"],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unreachable', "the host's certificate can't be verified"],
		[
			'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
			'unreachable',
			"the host's certificate can't be verified",
		],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'unreachable', "the host's certificate is for another host"],
		['ESOCKETTIMEDOUT', 'timeout', 'it took too long'],
		['ECONNABORTED', 'timeout', 'it took too long'],
		['ERR_CANCELED', 'timeout', 'it took too long'],
		['EPROTO', 'encryptionFailed', 'the encryption failed'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'encryptionFailed', 'the encryption failed'],
		['ECONNRESET', 'connectionLost', 'the connection was closed'],
		['EPIPE', 'connectionLost', 'the connection was closed'],
		['ERR_BAD_RESPONSE', 'connectionLost', 'the connection was closed'],
		['A_CODE_OF_NEXT_YEAR', 'connectionLost', 'the connection was closed'],
	])('reads the code %s', (code, kind, detail) => {
		const errors = ['connect', 'read'].map((syscall) => errorWith(code, { syscall }));

		expect(errors.map(toConnectionError)).toEqual([
			{ kind, detail },
			{ kind, detail },
		]);
	});

	it.each([
		['EHOSTUNREACH', 'the host is unreachable', 'connectionLost', 'the connection was closed'],
		['ENETUNREACH', 'the network is unreachable', 'connectionLost', 'the connection was closed'],
		['ETIMEDOUT', 'the connection attempt timed out', 'timeout', 'it took too long'],
	])(
		'takes %s for unreachable only while connecting, since an open connection has it too',
		(code, connecting, kind, detail) => {
			const errors = ['connect', 'read'].map((syscall) => errorWith(code, { syscall }));

			expect(errors.map(toConnectionError)).toEqual([
				{ kind: 'unreachable', detail: connecting },
				{ kind, detail },
			]);
		},
	);

	it.each([
		["n8n's error", new NodeApiError(agentNode({}), errorWith('ECONNREFUSED') as never)],
		['an error without a code', new Error('No', { cause: errorWith('ECONNREFUSED') })],
		[
			'four errors',
			errorWith(7, {
				cause: errorWith(null, {
					cause: errorWith({}, { cause: new Error('No', { cause: errorWith('ECONNREFUSED') }) }),
				}),
			}),
		],
		[
			'an error with a general code',
			errorWith('ERR_NETWORK', { cause: errorWith('ECONNREFUSED') }),
		],
	])('finds the code within %s', (_label, error) => {
		expect(toConnectionError(error)).toEqual({
			kind: 'unreachable',
			detail: 'the connection was refused',
		});
	});

	it.each([
		['an error without a code', new Error('This address is blocked'), 'This address is blocked'],
		['a text', 'out of order', 'out of order'],
		['nothing', undefined, 'undefined'],
	])('takes %s for a request that was not sent', (_label, error, detail) => {
		expect(toConnectionError(error)).toEqual({ kind: 'notSent', detail });
	});

	it('takes an error that is its own cause', () => {
		const error = new Error('Endless');
		error.cause = error;

		expect(toConnectionError(error).kind).toBe('notSent');
	});
});

describe('A start on the network', () => {
	const server = useServer();
	const secureServer = useServer({ tls: true });
	let plainTextServer: Server;

	beforeAll(async () => {
		plainTextServer = createServer((socket) => {
			socket.on('error', () => {});
			socket.end('220 mail.example.com ESMTP\r\n', () => socket.destroy());
		});
		await new Promise<void>((resolve) => plainTextServer.listen(0, '127.0.0.1', resolve));
	});
	beforeEach(() => setClock());
	afterAll(async () => {
		await new Promise((resolve) => plainTextServer.close(resolve));
	});

	const start = async (baseUrl: string) =>
		await serviceErrorOf(
			(await connectClient({ baseUrl })).startJob(toAgentStart({ directive: 'Go' })),
		);

	it.each([
		['by an address', 'http://127.0.0.1:1'],
		['by a name, which may have two addresses', 'http://localhost:1'],
	])('was not processed if the connection was refused: %s', async (_label, baseUrl) => {
		const error = await start(baseUrl);

		expect(error.facts).toEqual({ kind: 'unreachable', detail: 'the connection was refused' });
		expect(error.isDefinitelyNotProcessed).toBe(true);
	});

	it('was not processed if the certificate is not trusted', async () => {
		const error = await start(secureServer.url);

		expect(error.facts).toEqual({
			kind: 'unreachable',
			detail: "the host's certificate is self-signed",
		});
		expect(error.isDefinitelyNotProcessed).toBe(true);
		expect(secureServer.arrivals).toEqual([]);
	});

	it('is unclear after a failed encryption, which an open connection may have as well', async () => {
		const error = await start(server.url.replace('http:', 'https:'));

		expect(error.facts).toEqual({ kind: 'encryptionFailed', detail: 'the encryption failed' });
		expect(error.isDefinitelyNotProcessed).toBe(false);
	});

	it('is unclear if something other than a web server responds', async () => {
		const { port } = plainTextServer.address() as AddressInfo;

		const error = await start(`http://127.0.0.1:${port}`);

		expect(error.kind).toBe('connectionLost');
		expect(error.isDefinitelyNotProcessed).toBe(false);
	});

	it.each([
		['is reset', () => server.breaksConnections()],
		[
			'ends within the response',
			() =>
				server.answers((_arrival, response) => {
					response.writeHead(200, { 'Content-Length': '100' });
					response.write('{"job_id": "job_1"', () => response.destroy());
				}),
		],
		[
			'ends within a response of unknown length',
			() =>
				server.answers((_arrival, response) => {
					response.writeHead(200);
					response.write('{"job_id": "job_1"}', () => response.destroy());
				}),
		],
	])('is unclear if the connection %s, and is not repeated', async (_label, breakConnection) => {
		breakConnection();

		const error = await start(server.url);

		expect(error.kind).toBe('connectionLost');
		expect(error.isDefinitelyNotProcessed).toBe(false);
		expect(server.arrivals).toHaveLength(1);
	});
});
