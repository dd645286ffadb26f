import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import type { DownloadOptions, FileStream } from '../../../nodes/service/download';
import { connectClient, refusalOf, withTimeout } from '../../support/connectClient';
import { eventually } from '../../support/eventually';
import { steadyClock } from '../../support/steadyClock';
import { useServer, type Arrival, type TestServer } from '../../support/useServer';
import { currentClock, setClock } from '../../support/testRuntime';

const API_KEY = 'sk-test-1234567890';
const CONTENT = Buffer.from('0123456789'.repeat(20_000));

const service = useServer();
const host = useServer();

beforeEach(() => setClock(steadyClock(60)));
afterEach(() => setClock());

interface Download extends DownloadOptions {
	baseUrl?: string;
	filename?: string;
	position?: number;
	/** How long the connection may be silent before the answer begins, in real ms. */
	timeout?: number;
	store?: (stream: FileStream, mimeType?: string) => Promise<Received>;
}

interface Received {
	content: Buffer;
	mimeType?: string;
}

/** Downloads the file at a link, as one of job_1's. */
async function download(link: string | undefined, options: Download = {}) {
	const { baseUrl = service.url, filename = 'a.bin', position = 0, timeout, ...rest } = options;
	const { store = receive, ...limits } = rest;
	const client = await connectClient({
		baseUrl,
		apiKey: API_KEY,
		...(timeout === undefined ? {} : withTimeout(timeout)),
	});
	const { stored, receivedBytes } = await client.downloadFile(
		{ jobId: 'job_1', file: { filename, download_url: link }, position },
		store,
		limits,
	);
	return { ...stored, receivedBytes };
}

async function receive(
	stream: FileStream,
	mimeType?: string,
	keep: () => Promise<void> = async () => {},
): Promise<Received> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) {
		await keep();
		chunks.push(chunk as Buffer);
	}
	return { content: Buffer.concat(chunks), mimeType };
}

/** A server that answers its nth request with the nth of these, and all further ones with the last. */
function answersInTurn(
	server: TestServer,
	...answers: Array<(response: ServerResponse, arrival: Arrival) => void>
): void {
	server.answers((arrival, response) => {
		const index = Math.min(server.arrivals.length, answers.length) - 1;
		answers[index]?.(response, arrival);
	});
}

function whole(response: ServerResponse): void {
	response.writeHead(200, { 'Content-Length': CONTENT.length }).end(CONTENT);
}

function refusedWith(statusCode: number, headers: Record<string, string> = {}) {
	return (response: ServerResponse) => void response.writeHead(statusCode, headers).end('No');
}

function redirectTo(location: string) {
	return (response: ServerResponse) =>
		void response.writeHead(302, { Location: location }).end('There');
}

/** Sends half the file, with a head that promises all of it, and then does `then`. */
function half(then: (response: ServerResponse) => void) {
	return (response: ServerResponse) => {
		response.writeHead(200, { 'Content-Length': CONTENT.length });
		response.write(CONTENT.subarray(0, CONTENT.length / 2), () => then(response));
	};
}

/** The same without a promise: the file's end is where its last chunk is said to be. */
function halfInChunks(then: (response: ServerResponse) => void) {
	return (response: ServerResponse) => {
		response.writeHead(200);
		response.write(CONTENT.subarray(0, CONTENT.length / 2), () => then(response));
	};
}

const isReset = (response: ServerResponse) => void response.socket?.resetAndDestroy();
const isClosed = (response: ServerResponse) => void response.socket?.destroySoon();
const isSilent = () => {};

describe('a download', () => {
	it.each<[string, (response: ServerResponse) => void]>([
		['its length', whole],
		['chunks', (response) => void response.writeHead(200).end(CONTENT)],
		[
			'a connection that ends with it',
			(response) => void response.writeHead(200, { Connection: 'close' }).end(CONTENT),
		],
		[
			'gzip, although nobody asked for it',
			(response) => {
				const zipped = gzipSync(CONTENT);
				response
					.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': zipped.length })
					.end(zipped);
			},
		],
	])('brings the file as it was, sent with %s', async (_label, answer) => {
		answersInTurn(host, answer);

		const { content, receivedBytes } = await download(`${host.url}/a`);

		expect(content.equals(CONTENT)).toBe(true);
		expect(receivedBytes).toBe(CONTENT.length);
		expect(host.arrivals).toHaveLength(1);
	});

	it('brings an empty file', async () => {
		answersInTurn(host, (response) => void response.writeHead(200, { 'Content-Length': 0 }).end());

		const { content, receivedBytes } = await download(`${host.url}/a`);

		expect(content).toHaveLength(0);
		expect(receivedBytes).toBe(0);
	});

	it('asks for the file as it is, not compressed', async () => {
		answersInTurn(host, whole);

		await download(`${host.url}/a`);

		expect(host.arrivals[0]?.headers).toMatchObject({ 'accept-encoding': 'identity' });
	});

	it('reads no faster than the file is stored', async () => {
		let sent = 0;
		answersInTurn(host, (response) => {
			response.writeHead(200);
			const send = () => {
				if (sent++ === 200) response.end();
				else if (response.write(CONTENT)) send();
				else response.once('drain', send);
			};
			send();
		});
		let open = () => {};
		const gate = new Promise<void>((resolve) => (open = resolve));
		const downloading = download(`${host.url}/a`, {
			async store(stream) {
				await gate;
				await receive(stream);
				return { content: Buffer.alloc(0) };
			},
		});
		await eventually(() => expect(sent).toBeGreaterThan(0));

		await currentClock().sleep(10_000);
		const sentBefore = sent;
		open();

		expect((await downloading).receivedBytes).toBe(200 * CONTENT.length);
		expect(sentBefore).toBeLessThan(100);
	});
});

describe('the key', () => {
	it("goes along to the base URL's own origin", async () => {
		answersInTurn(service, whole);

		await download(`${service.url}/files/a`);

		expect(service.arrivals[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
	});

	it.each<[string, string, string]>([
		['from the root', '/files/a', '/files/a'],
		['from the base URL', 'files/a', '/prefix/files/a'],
	])('goes along with a link that is relative, %s', async (_label, link, path) => {
		answersInTurn(service, whole);

		await download(link, { baseUrl: `${service.url}/prefix` });

		expect(service.arrivals).toMatchObject([
			{ path, headers: { authorization: `Bearer ${API_KEY}` } },
		]);
	});

	it('stays here, with every header of ours, when the file is at another port', async () => {
		answersInTurn(host, whole);

		await download(`${host.url}/a`);

		expect(Object.keys(host.arrivals[0]?.headers ?? {}).sort()).toEqual([
			'accept',
			'accept-encoding',
			'connection',
			'host',
			'user-agent',
		]);
	});

	it('stays here when the file is at another name of the same machine', async () => {
		answersInTurn(service, whole);

		await download(`${service.url.replace('127.0.0.1', 'localhost')}/a`);

		expect(service.arrivals[0]?.headers).not.toHaveProperty('authorization');
	});

	it('stays here when a link with no scheme names another host', async () => {
		answersInTurn(host, whole);

		await download(host.url.replace('http:', ''));

		expect(host.arrivals[0]?.headers).not.toHaveProperty('authorization');
	});

	it('does not follow a redirect, neither to another origin nor back home', async () => {
		answersInTurn(
			service,
			(response) => redirectTo(`${host.url}/b`)(response),
			(response) => whole(response),
		);
		answersInTurn(host, redirectTo(`${service.url}/c`));

		const { content } = await download(`${service.url}/a`);

		const keys = [...service.arrivals, ...host.arrivals].map(({ path, headers }) => [
			path,
			headers.authorization,
		]);
		expect(keys).toEqual([
			['/a', `Bearer ${API_KEY}`],
			['/c', undefined],
			['/b', undefined],
		]);
		expect(content.equals(CONTENT)).toBe(true);
	});
});

describe('a redirect', () => {
	it.each([301, 302, 303, 307, 308])('with status %i is followed', async (statusCode) => {
		answersInTurn(host, refusedWith(statusCode, { Location: '/there?x=1' }), whole);

		const { content } = await download(`${host.url}/a`);

		expect(content.equals(CONTENT)).toBe(true);
		expect(host.arrivals.map(({ path }) => path)).toEqual(['/a', '/there?x=1']);
	});

	it('is followed five times', async () => {
		answersInTurn(host, ...Array(5).fill(redirectTo('/on')), whole);

		const { content } = await download(`${host.url}/a`);

		expect(content.equals(CONTENT)).toBe(true);
	});

	it('is not followed a sixth time', async () => {
		answersInTurn(host, redirectTo('/on'));

		const refusal = await refusalOf(download(`${host.url}/a`));

		expect(refusal.facts).toEqual({
			kind: 'invalidLink',
			detail: 'it redirects more than 5 times',
		});
		expect(host.arrivals).toHaveLength(6);
	});

	it.each([
		['ftp', 'ftp://127.0.0.1/a'],
		['data', 'data:text/plain,hello'],
		['file', 'file:///etc/hostname'],
	])('is not followed to an address of %s', async (_label, location) => {
		answersInTurn(host, redirectTo(location));

		const refusal = await refusalOf(download(`${host.url}/a`));

		expect(refusal.facts).toEqual({ kind: 'invalidLink', detail: 'its link is not a web address' });
	});

	it('that leads nowhere is an error', async () => {
		answersInTurn(host, refusedWith(302));

		const refusal = await refusalOf(download(`${host.url}/a`));

		expect(refusal.facts).toMatchObject({ kind: 'redirect', statusCode: 302 });
	});
});

describe('a link', () => {
	it.each([
		['missing', undefined, 'it has no link'],
		['no address', 'http://', 'its link is not an address'],
		['one of ftp', 'ftp://127.0.0.1/a', 'its link is not a web address'],
		['one of file', 'file:///etc/hostname', 'its link is not a web address'],
		['one of javascript', 'javascript:alert(1)', 'its link is not a web address'],
	])('that is %s is an error, and nothing is sent', async (_label, link, detail) => {
		const refusal = await refusalOf(download(link));

		expect(refusal.facts).toEqual({ kind: 'invalidLink', detail });
		expect(service.arrivals).toEqual([]);
	});

	/** Lists the files of job_1, as often as asked. */
	const listed = (...files: Array<[filename: string, path: string]>) =>
		service.answers({
			body: {
				files: files.map(([filename, path]) => ({ filename, download_url: host.url + path })),
			},
		});

	it.each([403, 404, 410])('that is answered with %i is asked for again', async (statusCode) => {
		listed(['a.bin', '/fresh']);
		answersInTurn(host, refusedWith(statusCode), whole);

		const { content } = await download(`${host.url}/old`);

		expect(content.equals(CONTENT)).toBe(true);
		expect(service.arrivals.map(({ path }) => path)).toEqual(['/v1/get_job_files/job_1']);
		expect(host.arrivals.map(({ path }) => path)).toEqual(['/old', '/fresh']);
	});

	it('that has expired once more is given up', async () => {
		listed(['a.bin', '/fresh']);
		answersInTurn(host, refusedWith(403));

		const refusal = await refusalOf(download(`${host.url}/old`));

		expect(refusal.facts.statusCode).toBe(403);
		expect(service.arrivals).toHaveLength(1);
		expect(host.arrivals).toHaveLength(2);
	});

	it('that expires while a broken download begins anew is asked for again', async () => {
		listed(['a.bin', '/fresh']);
		answersInTurn(host, half(isReset), refusedWith(403), whole);

		const { content } = await download(`${host.url}/old`);

		expect(content.equals(CONTENT)).toBe(true);
		expect(host.arrivals.map(({ path }) => path)).toEqual(['/old', '/old', '/fresh']);
	});

	it.each([400, 401, 402, 405, 451])('that is answered with %i is not', async (statusCode) => {
		answersInTurn(host, refusedWith(statusCode));

		const refusal = await refusalOf(download(`${host.url}/a`));

		expect(refusal.facts.statusCode).toBe(statusCode);
		expect(service.arrivals).toEqual([]);
		expect(host.arrivals).toHaveLength(1);
	});

	it.each<[string, string, number, Array<[string, string]>]>([
		[
			'by its name, wherever it is now',
			'a.bin',
			0,
			[
				['new.bin', '/new'],
				['a.bin', '/a'],
			],
		],
		[
			'by its place, when others have its name',
			'a.bin',
			1,
			[
				['a.bin', '/other'],
				['a.bin', '/a'],
			],
		],
	])('is found again %s', async (_label, filename, position, files) => {
		listed(...files);
		answersInTurn(host, refusedWith(403), whole);

		await download(`${host.url}/old`, { filename, position });

		expect(host.arrivals.at(-1)?.path).toBe('/a');
	});

	it('is asked for once more when the list is not to be had at once', async () => {
		service.answers((_arrival, response) => {
			const isFirst = service.arrivals.length === 1;
			const files = [{ filename: 'a.bin', download_url: `${host.url}/fresh` }];
			response.writeHead(isFirst ? 503 : 200, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify({ files }));
		});
		answersInTurn(host, refusedWith(403), whole);

		const { content } = await download(`${host.url}/old`);

		expect(content.equals(CONTENT)).toBe(true);
		expect(service.arrivals).toHaveLength(2);
		expect(host.arrivals.map(({ path }) => path)).toEqual(['/old', '/fresh']);
	});

	it('is never that of another file: when it is not listed any more, the old one is tried', async () => {
		listed(['b.bin', '/b']);
		answersInTurn(host, refusedWith(404));

		const refusal = await refusalOf(download(`${host.url}/old`));

		expect(refusal.facts.statusCode).toBe(404);
		expect(host.arrivals.map(({ path }) => path)).toEqual(['/old', '/old']);
	});
});

describe('a file that comes in part', () => {
	const cuts: Array<[string, (response: ServerResponse) => void]> = [
		['is cut off before its length', half(isClosed)],
		['is cut off before its last chunk', halfInChunks(isClosed)],
		['breaks off with a reset', half(isReset)],
		['breaks off with a reset among its chunks', halfInChunks(isReset)],
		['falls silent', half(isSilent)],
		['falls silent among its chunks', halfInChunks(isSilent)],
		['does not begin', isReset],
		[
			'is shorter than it unzips',
			(response) => {
				const zipped = gzipSync(CONTENT);
				response.writeHead(200, { 'Content-Encoding': 'gzip' });
				response.write(zipped.subarray(0, zipped.length / 2), () => isClosed(response));
			},
		],
	];

	it.each(cuts)('is fetched from its start again when it %s', async (_label, cut) => {
		answersInTurn(host, cut, cut, whole);

		const { content, receivedBytes } = await download(`${host.url}/a`);

		expect(content.equals(CONTENT)).toBe(true);
		expect(receivedBytes).toBe(CONTENT.length);
		expect(host.arrivals).toHaveLength(3);
		expect(host.arrivals.some(({ headers }) => 'range' in headers)).toBe(false);
	});

	it.each(cuts)('is given up after the third time that it %s', async (_label, cut) => {
		answersInTurn(host, cut);

		const refusal = await refusalOf(download(`${host.url}/a`));

		expect(['connectionLost', 'timeout']).toContain(refusal.kind);
		expect(host.arrivals).toHaveLength(3);
	});

	it('is given up when the host does not answer at all', async () => {
		answersInTurn(service, isSilent);

		const refusal = await refusalOf(download(`${service.url}/a`, { timeout: 100 }));

		expect(refusal.kind).toBe('timeout');
		expect(service.arrivals).toHaveLength(3);
	});

	it('is called silent after 30 seconds without a byte', async () => {
		answersInTurn(host, half(isSilent), whole);
		const began = currentClock().now();

		await download(`${host.url}/a`);

		const tookMs = currentClock().now() - began;
		expect(tookMs).toBeGreaterThanOrEqual(30_000);
		expect(tookMs).toBeLessThan(60_000);
	});

	it('is not called silent while it is being stored slowly', async () => {
		answersInTurn(host, whole);

		const { receivedBytes } = await download(`${host.url}/a`, {
			async store(stream) {
				return await receive(stream, undefined, async () => await currentClock().sleep(40_000));
			},
		});

		expect(receivedBytes).toBe(CONTENT.length);
		expect(host.arrivals).toHaveLength(1);
	});
});

describe('a host that cannot serve the file now', () => {
	it.each([429, 500, 502, 503])('is asked again after %i', async (statusCode) => {
		answersInTurn(host, refusedWith(statusCode), whole);

		const { content } = await download(`${host.url}/a`);

		expect(content.equals(CONTENT)).toBe(true);
		expect(service.arrivals).toEqual([]);
	});

	it('is left alone for as long as it asks', async () => {
		answersInTurn(host, refusedWith(503, { 'Retry-After': '20' }), whole);
		const began = currentClock().now();

		await download(`${host.url}/a`);

		expect(currentClock().now() - began).toBeGreaterThanOrEqual(20_000);
	});

	it('is not waited for when it asks for more than a minute', async () => {
		answersInTurn(host, refusedWith(503, { 'Retry-After': '86400' }), whole);

		const refusal = await refusalOf(download(`${host.url}/a`));

		expect(refusal.facts).toMatchObject({ statusCode: 503, retryAfterMs: 86_400_000 });
		expect(host.arrivals).toHaveLength(1);
	});
});

describe('a limit of bytes', () => {
	it('lets a file of just that size through', async () => {
		answersInTurn(host, whole);

		const { content } = await download(`${host.url}/a`, { maxBytes: CONTENT.length });

		expect(content).toHaveLength(CONTENT.length);
	});

	it('stops a larger file before a byte of it is stored, when its length is told', async () => {
		answersInTurn(host, whole);
		const store = jest.fn(receive);

		const refusal = await refusalOf(
			download(`${host.url}/a`, { maxBytes: CONTENT.length - 1, store }),
		);

		expect(refusal.kind).toBe('tooLarge');
		expect(store).not.toHaveBeenCalled();
		expect(host.arrivals).toHaveLength(1);
	});

	it('stops a larger file on its way when its length is not told, and closes the connection', async () => {
		let isGone = false;
		answersInTurn(host, (response) => {
			response.once('close', () => (isGone = true));
			const send = () => {
				while (response.write(CONTENT));
				response.once('drain', send);
			};
			response.writeHead(200);
			send();
		});

		const refusal = await refusalOf(download(`${host.url}/a`, { maxBytes: 500_000 }));

		expect(refusal.kind).toBe('tooLarge');
		expect(host.arrivals).toHaveLength(1);
		await eventually(() => expect(isGone).toBe(true));
	});

	it('counts the bytes that are stored, not those of the compressed answer', async () => {
		answersInTurn(
			host,
			(response) =>
				void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(CONTENT)),
		);

		const refusal = await refusalOf(download(`${host.url}/a`, { maxBytes: CONTENT.length - 1 }));

		expect(refusal.kind).toBe('tooLarge');
	});
});

describe('who stores the file', () => {
	it('is told what type it has', async () => {
		answersInTurn(
			host,
			(response) =>
				void response.writeHead(200, { 'Content-Type': 'Text/CSV; charset=utf-8' }).end('a,b'),
		);

		expect((await download(`${host.url}/a`)).mimeType).toBe('text/csv');
	});

	it.each([
		['is missing', undefined],
		['is empty', ''],
		['says nothing', 'application/octet-stream'],
		['says nothing, in other words', 'binary/octet-stream'],
		['is none', 'pdf'],
		['has spaces in it', 'text/ plain'],
	])('is left to find out when the type %s', async (_label, type) => {
		answersInTurn(
			host,
			(response) =>
				void response.writeHead(200, type === undefined ? {} : { 'Content-Type': type }).end('a'),
		);

		expect((await download(`${host.url}/a`)).mimeType).toBeUndefined();
	});

	it.each<[string, Download['store']]>([
		['before it reads', async () => await Promise.reject(new Error('The disk is full'))],
		[
			'while it reads',
			async (stream) =>
				await receive(stream, undefined, async () => {
					throw new Error('The disk is full');
				}),
		],
	])('has its own say when it fails %s, and is not asked again', async (_label, store) => {
		answersInTurn(host, whole);

		const downloading = download(`${host.url}/a`, { store });

		await expect(downloading).rejects.toThrow('The disk is full');
		expect(host.arrivals).toHaveLength(1);
	});
});

describe('a stop', () => {
	it.each<[string, (response: ServerResponse) => void]>([
		['before the file begins', isSilent],
		['while the file comes', half(isSilent)],
		['while a broken download waits to begin anew', refusedWith(503, { 'Retry-After': '50' })],
	])('ends a download at once %s', async (_label, answer) => {
		setClock();
		answersInTurn(host, answer);
		const stop = new AbortController();
		const refusing = refusalOf(download(`${host.url}/a`, { signal: stop.signal }));
		await eventually(() => expect(host.arrivals).toHaveLength(1));

		const stoppedAt = performance.now();
		stop.abort();
		const refusal = await refusing;

		expect(refusal.kind).toBe('stopped');
		expect(performance.now() - stoppedAt).toBeLessThan(1_000);
		expect(host.arrivals).toHaveLength(1);
	});

	it('is harmless for a file that nobody has begun to read', async () => {
		answersInTurn(host, half(isSilent));
		const stop = new AbortController();
		let isOpen = () => {};
		const opened = new Promise<void>((resolve) => (isOpen = resolve));

		const refusing = refusalOf(
			download(`${host.url}/a`, {
				signal: stop.signal,
				async store(stream) {
					isOpen();
					await currentClock().sleep(5_000);
					return await receive(stream);
				},
			}),
		);
		await opened;
		stop.abort();

		expect((await refusing).kind).toBe('stopped');
	});
});
