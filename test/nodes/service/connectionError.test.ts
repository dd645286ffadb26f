import { NodeApiError } from 'n8n-workflow';
import { createServer, type AddressInfo, type Server } from 'node:net';

import { toConnectionError } from '../../../nodes/service/connectionError';
import { connectClient, refusalOf, withTimeout } from '../../support/connectClient';
import { agentNode } from '../../support/runNode';
import { steadyClock } from '../../support/steadyClock';
import { useServer } from '../../support/useServer';
import { setClock, setServiceLimits } from '../../support/testRuntime';

/** What Node.js says of a connection that could not be made. */
function errorWith(code: unknown, cause?: Error): Error {
	return Object.assign(new Error('It did not work', { cause }), { code, syscall: 'connect' });
}

describe('why there is no answer', () => {
	it.each([
		['ECONNREFUSED', 'unreachable', 'the connection was refused'],
		['ENOTFOUND', 'unreachable', 'the host name is unknown'],
		['EAI_AGAIN', 'unreachable', 'the host name could not be looked up'],
		['EHOSTUNREACH', 'unreachable', 'the host is unreachable'],
		['ENETUNREACH', 'unreachable', 'the network is unreachable'],
		['EPROTO', 'unreachable', 'no encrypted connection could be made'],
		['CERT_HAS_EXPIRED', 'unreachable', "the host's certificate has expired"],
		['CERT_NOT_YET_VALID', 'unreachable', "the host's certificate is not valid yet"],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'unreachable', "the host's certificate is for another host"],
		['ETIMEDOUT', 'timeout', 'it took too long'],
		['ESOCKETTIMEDOUT', 'timeout', 'it took too long'],
		['ECONNABORTED', 'timeout', 'it took too long'],
		['ERR_CANCELED', 'timeout', 'it took too long'],
		['ECONNRESET', 'connectionLost', 'the connection was closed'],
		['EPIPE', 'connectionLost', 'the connection was closed'],
		['ERR_BAD_RESPONSE', 'connectionLost', 'the connection was closed'],
		['A_CODE_OF_NEXT_YEAR', 'connectionLost', 'the connection was closed'],
	])('is told by the code of the error: %s', (code, kind, detail) => {
		expect(toConnectionError(errorWith(code))).toEqual({ kind, detail });
	});

	it.each([
		["n8n's error around it", new NodeApiError(agentNode({}), errorWith('ECONNREFUSED') as never)],
		['an error around it', new Error('No', { cause: errorWith('ECONNREFUSED') })],
		['three errors around it', errorWith(undefined, errorWith(7, errorWith('ECONNREFUSED')))],
		['a less telling code around it', errorWith('ERR_NETWORK', errorWith('ECONNREFUSED'))],
	])('is found within %s', (_label, error) => {
		expect(toConnectionError(error)).toEqual({
			kind: 'unreachable',
			detail: 'the connection was refused',
		});
	});

	it.each([
		['an error without a code', new Error('This address is blocked'), 'This address is blocked'],
		['a text', 'out of order', 'out of order'],
		['nothing', undefined, 'undefined'],
	])('is that it was not sent, for %s', (_label, error, detail) => {
		expect(toConnectionError(error)).toEqual({ kind: 'notSent', detail });
	});

	it('is found in an error that is its own cause', () => {
		const error = new Error('Round and round');
		error.cause = error;

		expect(toConnectionError(error).kind).toBe('notSent');
	});
});

describe('a request on the network', () => {
	const server = useServer();
	const secureServer = useServer({ tls: true });
	let babbler: Server;

	beforeAll(async () => {
		babbler = createServer((socket) => {
			socket.on('error', () => {});
			socket.end('220 mail.example.com ESMTP\r\n', () => socket.destroy());
		});
		await new Promise<void>((resolve) => babbler.listen(0, '127.0.0.1', resolve));
	});
	afterEach(() => {
		setServiceLimits();
		setClock();
	});
	afterAll(async () => {
		await new Promise((resolve) => babbler.close(resolve));
	});

	it.each([
		['by its address', 'http://127.0.0.1:1'],
		['by its name, which may have two addresses', 'http://localhost:1'],
	])('was not carried out when the connection is refused: %s', async (_label, baseUrl) => {
		const client = await connectClient({ baseUrl });

		const refusal = await refusalOf(client.startAgent({ directive: 'Go' }));

		expect(refusal.facts).toEqual({ kind: 'unreachable', detail: 'the connection was refused' });
		expect(refusal.isDefinitelyNotProcessed).toBe(true);
	});

	it('was not carried out when nobody vouches for the certificate', async () => {
		const client = await connectClient({ baseUrl: secureServer.url });

		const refusal = await refusalOf(client.startAgent({ directive: 'Go' }));

		expect(refusal.facts).toEqual({
			kind: 'unreachable',
			detail: "the host's certificate is self-signed",
		});
		expect(secureServer.arrivals).toEqual([]);
	});

	it('was not carried out when https meets a server that speaks http only', async () => {
		const client = await connectClient({ baseUrl: server.url.replace('http:', 'https:') });

		const refusal = await refusalOf(client.startAgent({ directive: 'Go' }));

		expect(refusal.kind).toBe('unreachable');
		expect(refusal.facts.detail).toMatch(/encrypted connection|does not speak https/);
		expect(server.arrivals).toEqual([]);
	});

	it.each([
		['is reset', () => server.breaksConnections()],
		[
			'ends in the middle of the answer',
			() =>
				server.answers((_arrival, response) => {
					response.writeHead(200, { 'Content-Length': '100' });
					response.write('{"job_id": "job_1"', () => response.destroy());
				}),
		],
		[
			'ends in the middle of an answer of unknown length',
			() =>
				server.answers((_arrival, response) => {
					response.writeHead(200);
					response.write('{"job_id": "job_1"}', () => response.destroy());
				}),
		],
	])('may have been carried out when the connection %s', async (_label, breakConnection) => {
		breakConnection();
		const client = await connectClient({ baseUrl: server.url });

		const refusal = await refusalOf(client.startAgent({ directive: 'Go' }));

		expect(refusal.facts).toEqual({ kind: 'connectionLost', detail: 'the connection was closed' });
		expect(refusal.isDefinitelyNotProcessed).toBe(false);
		expect(server.arrivals).toHaveLength(1);
	});

	it('may have been carried out when something else than a web server answers', async () => {
		const { port } = babbler.address() as AddressInfo;
		const client = await connectClient({ baseUrl: `http://127.0.0.1:${port}` });

		const refusal = await refusalOf(client.startAgent({ directive: 'Go' }));

		expect(refusal.kind).toBe('connectionLost');
	});

	it.each([
		['never comes', () => server.answers(() => {})],
		[
			'stops coming in its middle',
			() =>
				server.answers((_arrival, response) => {
					response.writeHead(200, { 'Content-Length': '100' });
					response.write('{"job_id"');
				}),
		],
	])('is given up when its answer %s', async (_label, fallSilent) => {
		fallSilent();
		const client = await connectClient({ baseUrl: server.url, ...withTimeout(100) });

		const refusal = await refusalOf(client.startAgent({ directive: 'Go' }));

		expect(refusal.facts).toEqual({ kind: 'timeout', detail: 'it took too long' });
		expect(refusal.isDefinitelyNotProcessed).toBe(false);
		expect(server.arrivals).toHaveLength(1);
	});

	it('is given up when its answer comes drop by drop, and is not complete after five minutes', async () => {
		setClock(steadyClock(3_000));
		server.answers((_arrival, response) => {
			const dripping = setInterval(() => response.write(' '), 20);
			response.on('close', () => clearInterval(dripping));
		});
		const client = await connectClient({ baseUrl: server.url });

		const refusal = await refusalOf(client.getJob('job_1'));

		expect(refusal.facts).toEqual({ kind: 'timeout', detail: 'it took too long' });
	});

	it.each([
		['a start, which may have to wait for a browser', 'startAgent', 120_000],
		['a look at a job', 'getJob', 30_000],
		['a pause', 'pauseJob', 30_000],
		['the balance', 'getCreditBalance', 30_000],
	] as const)('is given as long as it may need: %s', async (_label, method, timeoutMs) => {
		const timeouts: unknown[] = [];
		server.answers({ body: { job_id: 'job_1', status: 'running' } });
		const client = await connectClient({
			baseUrl: server.url,
			onRequest: ({ timeout }) => void timeouts.push(timeout),
		});

		if (method === 'getCreditBalance') await client[method]();
		else if (method === 'startAgent') await client[method]({ directive: 'Go' });
		else await client[method]('job_1');

		expect(timeouts).toEqual([timeoutMs]);
	});
});
