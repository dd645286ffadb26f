import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import fc from 'fast-check';

import { createWork } from '../../../dev/engine/createWork';
import type { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { downloadJobFiles, toSafeFileNames } from '../../../nodes/jobs/jobFiles';
import { Account } from '../../../nodes/service/Account';
import { HttpClient, type Connection } from '../../../nodes/service/HttpClient';
import type { ByteStream } from '../../../nodes/service/httpResponse';
import { Redactor } from '../../../nodes/service/redact';
import { ServiceClient } from '../../../nodes/service/ServiceClient';
import { connectClient, serviceErrorOf } from '../../support/connectClient';
import { testClock } from '../../support/testClock';
import { setClock } from '../../support/testRuntime';
import { useServer, type Arrival, type TestServer } from '../../support/useServer';
import { waitFor } from '../../support/waitFor';

const API_KEY = 'sk-test-1234567890';
const CONTENT = Buffer.from('0123456789'.repeat(20_000));
const KB = 1024;

interface Download {
	client: ServiceClient;
	clock: SimulatedClock;
	/** The links of the files; undefined: a file without one. */
	links: Array<string | undefined>;
	/** Reads the stream of a file. */
	read?: (stream: ByteStream) => Promise<unknown>;
	maxBytes?: number;
	signal?: AbortSignal;
}

/** Downloads files of job_1, all of the same name. */
async function downloadAll(options: Download) {
	const { client, clock, links, read = drain, maxBytes = Infinity } = options;
	const { signal = new AbortController().signal } = options;
	const files = links.map((link) => ({ filename: 'a.bin', download_url: link }));
	const storeFile = async (stream: ByteStream, _filename: string, mimeType = 'unset') => {
		await read(stream);
		return { data: '', mimeType };
	};
	return await downloadJobFiles(
		createWork({ client, clock, signal, storeFile }),
		{ job_id: 'job_1', files },
		{ maxBytes },
	);
}

/** Downloads a single file; throws what has failed it. */
async function downloadOne(options: Omit<Download, 'links'> & { link: string | undefined }) {
	const [file] = await downloadAll({ ...options, links: [options.link] });
	if (file === undefined || 'error' in file) throw file?.error;
	return { mimeType: file.stored.mimeType, receivedBytes: file.sizeBytes };
}

const service = useServer();
const host = useServer();

let clock: SimulatedClock;

beforeEach(() => setClock((clock = testClock())));
afterEach(() => setClock());

/** Downloads the file at a link, and returns its content, too. */
const download = async (
	link: string | undefined,
	more: Pick<Download, 'maxBytes' | 'read'> = {},
) => {
	const client = await connectClient({ baseUrl: service.url, apiKey: API_KEY });
	const chunks: Buffer[] = [];
	const read = async (stream: ByteStream) => {
		for await (const chunk of stream) chunks.push(chunk as Buffer);
	};
	const file = await downloadOne({ client, clock, link, read, ...more });
	return { ...file, content: Buffer.concat(chunks) };
};
/** Lists these files of job_1, as often as asked. */
const list = (...files: Array<[filename: string, path: string]>) =>
	service.answers({
		body: {
			files: files.map(([filename, path]) => ({ filename, download_url: host.url + path })),
		},
	});
const paths = (server: TestServer) => server.arrivals.map(({ path }) => path);

describe('downloadJobFiles', () => {
	it.each([
		['is not a URL', 'http://', 'its link is not a valid URL'],
		['is an ftp URL', 'ftp://127.0.0.1/a', 'its link is not a valid URL'],
	])('sends nothing if the link %s', async (_label, link, detail) => {
		const { facts } = await serviceErrorOf(download(link));

		expect(facts).toEqual({ kind: 'invalidLink', detail });
		expect(service.arrivals).toEqual([]);
	});

	it.each([
		['is taken from its header', 'Text/CSV; charset=utf-8', 'text/csv'],
		['is unset without a header', undefined, 'unset'],
		['is unset for markup', 'text/<b>', 'unset'],
		['is unset for more than 100 characters', `text/${'x'.repeat(96)}`, 'unset'],
		['is unset for binary/octet-stream', 'binary/octet-stream', 'unset'],
	])('passes on a media type that %s', async (_label, type, mimeType) => {
		respondInTurn(
			host,
			(response) =>
				void response.writeHead(200, type === undefined ? {} : { 'Content-Type': type }).end('a'),
		);

		expect((await download(`${host.url}/a`)).mimeType).toBe(mimeType);
	});

	it('leaves no timer behind', async () => {
		respondInTurn(host, sendAll);

		await download(`${host.url}/a`);

		expect(clock.sleepers).toBe(0);
	});

	it("throws the reader's own error", async () => {
		respondInTurn(host, sendAll);
		const read = async (stream: ByteStream) => {
			stream.on('data', () => stream.destroy(new Error('The disk is full')));
			await drain(stream);
		};

		await expect(download(`${host.url}/a`, { read })).rejects.toThrow('The disk is full');
		expect(host.arrivals).toHaveLength(1);
	});
});

describe('downloadJobFiles sends the key', () => {
	it('to no other name of the same machine', async () => {
		respondInTurn(service, sendAll);

		await download(`${service.url.replace('127.0.0.1', 'localhost')}/a`);

		expect(service.arrivals[0]?.headers).not.toHaveProperty('authorization');
	});

	it('to no redirect, not even to its own origin', async () => {
		respondInTurn(service, redirectTo('/b'), sendAll);

		const { content } = await download(`${service.url}/a`);

		const keys = service.arrivals.map(({ path, headers }) => [path, headers.authorization]);
		expect(keys).toEqual([
			['/a', `Bearer ${API_KEY}`],
			['/b', undefined],
		]);
		expect(content.equals(CONTENT)).toBe(true);
	});
});

describe('downloadJobFiles with redirects', () => {
	it.each([
		[301, '/dir/one.txt', 'two.txt?x=1', '/dir/two.txt?x=1'],
		[308, '/dir/one.txt', '/two.txt', '/two.txt'],
	])('follows status %i from %s to %s as a browser does', async (status, from, Location, to) => {
		respondInTurn(service, failWith(status, { Location }), sendAll);

		const { content } = await download(`${service.url}${from}`);

		expect(content.equals(CONTENT)).toBe(true);
		expect(paths(service)).toEqual([from, to]);
	});

	it('follows five, but not a sixth', async () => {
		const five = Array<Respond>(5).fill(redirectTo('/on'));
		respondInTurn(service, ...five, sendAll);
		const { receivedBytes } = await download(`${service.url}/a`);
		const followed = service.arrivals.splice(0);
		respondInTurn(service, ...five, redirectTo('/on'));

		const { facts } = await serviceErrorOf(download(`${service.url}/a`));

		expect(receivedBytes).toBe(CONTENT.length);
		expect(followed).toHaveLength(6);
		expect(facts).toEqual({ kind: 'invalidLink', detail: 'it redirects more than 5 times' });
		expect(service.arrivals).toHaveLength(6);
	});

	const NO_URL = { kind: 'invalidLink', detail: 'its link is not a valid URL' };

	it.each([
		['to a file of the machine', redirectTo('file:///etc/hostname'), NO_URL],
		['without a Location', failWith(302), { kind: 'redirect', statusCode: 302 }],
	])('fails for one %s', async (_label, respond, facts) => {
		respondInTurn(service, respond);

		const error = await serviceErrorOf(download(`${service.url}/a`));

		expect(error.facts).toEqual(facts);
		expect(service.arrivals).toHaveLength(1);
	});
});

describe('A link of a job file leads', () => {
	/** Follows a link from the service at `baseUrl`; returns what was asked for, and why no more. */
	const follow = async (
		baseUrl: string,
		link: string,
		location?: string | Record<string, string>,
	) => {
		const locations = typeof location === 'string' ? { [link]: location } : (location ?? {});
		const asked: string[] = [];
		const send = async ({ url }: { url: string }) => {
			asked.push(url);
			const headers = { location: locations[url] };
			return { statusCode: 302, headers, body: Readable.from([]) };
		};
		const client = clientWith(baseUrl, send, clock);
		const { facts } = await serviceErrorOf(downloadOne({ client, clock, link }));
		return { asked, why: facts.detail };
	};

	const PUBLIC = 'https://api.example.com';
	const PRIVATE = 'http://10.0.0.1';

	it.each([
		['a public service to a private host', PUBLIC, 'http://127.0.0.1/a'],
		['a public service to a name of the own network', PUBLIC, 'http://intranet/a'],
		['a public service to a name in .internal', PUBLIC, 'http://files.google.internal/a'],
	])('never from %s', async (_label, baseUrl, link) => {
		expect(await follow(baseUrl, link)).toEqual({ asked: [], why: 'it is in a private network' });
	});

	it('from a private service to another private host', async () => {
		const { asked } = await follow(PRIVATE, 'http://files.lan/a');

		expect(asked).toEqual(['http://files.lan/a']);
	});

	it.each([
		['a public service to a private host', PUBLIC, 'https://files.example.com/a', PRIVATE],
		['a public host to a private one', PRIVATE, 'https://files.example.com/a', 'http://files.lan/'],
	])('by redirect never from %s', async (_label, baseUrl, link, location) => {
		expect(await follow(baseUrl, link, location)).toEqual({
			asked: [link],
			why: 'it is in a private network',
		});
	});

	it.each([
		['the service', `${PRIVATE}/a`, 'http://files.lan/b'],
		['another private host to itself', 'http://10.0.0.2/a', 'http://10.0.0.2/b'],
		['another private host to a third one', 'http://10.0.0.2/a', 'http://files.lan/b'],
		['another private host to a public one', 'http://10.0.0.2/a', 'https://files.example.com/b'],
	])('by redirect, with a private service, from %s', async (_label, link, location) => {
		const { asked } = await follow(PRIVATE, link, location);

		expect(asked).toEqual([link, location]);
	});

	it.each([
		['a public host', 'http://10.0.0.2/a', 'https://files.example.com/b'],
		['the service after a public host', 'https://files.example.com/b', `${PRIVATE}/b`],
	])('by redirect never to another private host over %s', async (_label, link, location) => {
		const locations: Record<string, string> = { [link]: location, [location]: 'http://10.0.0.3/c' };
		const { asked, why } = await follow(PRIVATE, link, locations);

		expect(asked).toEqual([link, location]);
		expect(why).toBe('it is in a private network');
	});

	it('by redirect from anywhere to the service itself', async () => {
		const { asked } = await follow(PRIVATE, 'https://files.example.com/a', `${PRIVATE}/b`);

		expect(asked).toEqual(['https://files.example.com/a', `${PRIVATE}/b`]);
	});

	it.each([
		'http://169.254.169.254/a',
		'http://[fe80::1]/',
		'http://[fd00:EC2::254]/',
		'http://[fd00:0ec2:0::23]/',
		'http://100.100.100.200/',
		'http://0x646464c8/',
		'http://[::ffff:100.100.100.200]/',
		'http://192.0.0.192/',
		'http://[64:ff9b::169.254.169.254]/',
		'http://[64:ff9b::a9fe:0102]/',
		'http://[64:ff9b::100.100.100.200]/',
		'http://metadata.google.internal/',
		'https://Metadata.Google.Internal./computeMetadata',
	])('never to an address where clouds serve metadata: %s', async (address) => {
		const why = 'it is at a cloud metadata address';

		expect(await follow(PRIVATE, address)).toEqual({ asked: [], why });
		expect(await follow(PRIVATE, `${PRIVATE}/a`, address)).toEqual({
			asked: [`${PRIVATE}/a`],
			why,
		});
	});

	it.each(['http://100.100.100.201/', 'http://[fd00:ec2::1]/', 'http://[64:ff9b::a00:1]/'])(
		'from a private service to another address of these ranges: %s',
		async (address) => {
			expect((await follow(PRIVATE, address)).asked).toEqual([address]);
		},
	);
});

describe('downloadJobFiles with an expired link', () => {
	it.each([400, 404, 499])('asks for a new one after %i', async (statusCode) => {
		list(['a.bin', '/new']);
		respondInTurn(host, failWith(statusCode), sendAll);

		const { content } = await download(`${host.url}/old`);

		expect(content.equals(CONTENT)).toBe(true);
		expect(paths(service)).toEqual(['/v1/get_job_files/job_1']);
		expect(paths(host)).toEqual(['/old', '/new']);
	});

	it.each([206, 408, 429, 500])('tries the old one again after %i', async (statusCode) => {
		respondInTurn(host, failWith(statusCode), sendAll);

		await download(`${host.url}/old`);

		expect(paths(service)).toEqual([]);
		expect(paths(host)).toEqual(['/old', '/old']);
	});

	it('asks only once, also when another try fails in between', async () => {
		list(['a.bin', '/new']);
		respondInTurn(host, failWith(403), failWith(500), failWith(403), sendAll);

		const { facts } = await serviceErrorOf(download(`${host.url}/old`));

		expect(facts).toMatchObject({ statusCode: 403 });
		expect(paths(service)).toEqual(['/v1/get_job_files/job_1']);
		expect(paths(host)).toEqual(['/old', '/new', '/new']);
	});

	it('asks again for a later file when the new links have expired, too', async () => {
		service.answers((_arrival, response) => {
			const link = `${host.url}/${service.arrivals.length}`;
			const files = Array.from({ length: 4 }, () => ({ filename: 'a.bin', download_url: link }));
			response.end(JSON.stringify({ files }));
		});
		host.answers(({ path }, response) => {
			const downloads = paths(host).filter((one) => one === path).length;
			const isExpired = path === '/0' || (path === '/1' && downloads > 3);
			if (isExpired) response.writeHead(403).end();
			else sendAll(response);
		});
		const client = await connectClient({ baseUrl: service.url, apiKey: API_KEY });
		const links = Array<string>(4).fill(`${host.url}/0`);

		const files = await downloadAll({ client, clock, links });

		expect(files.map((file) => 'sizeBytes' in file && file.sizeBytes)).toEqual(
			Array(4).fill(CONTENT.length),
		);
		expect(service.arrivals).toHaveLength(2);
	});

	it('asks for one if the file has none', async () => {
		list(['a.bin', '/new']);
		respondInTurn(host, sendAll);

		const { content } = await download(undefined);

		expect(content.equals(CONTENT)).toBe(true);
		expect(paths(service)).toEqual(['/v1/get_job_files/job_1']);
	});

	it('fails if the file has none in the new list either', async () => {
		service.answers({ body: { files: [{ filename: 'a.bin', download_url: null }] } });

		const { facts } = await serviceErrorOf(download(undefined));

		expect(facts).toEqual({ kind: 'invalidLink', detail: 'it has no link' });
		expect(paths(service)).toEqual(['/v1/get_job_files/job_1']);
	});

	const NEW: Array<[string, string]> = [['new.bin', '/new']];

	it.each<[string, Array<[string, string]>, string]>([
		['by its name, as the last one', [...NEW, ['a.bin', '/a']], '/a'],
		['under no other name, but tries the old link', NEW, '/old'],
		['in no empty list, but tries the old link', [], '/old'],
	])('finds the file %s', async (_label, files, path) => {
		list(...files);
		respondInTurn(host, failWith(403), sendAll);

		await download(`${host.url}/old`);

		expect(paths(host)).toEqual(['/old', path]);
	});
});

describe('downloadJobFiles with a limit of bytes', () => {
	it('closes the connection of an endless file', async () => {
		let isClosed = false;
		respondInTurn(host, (response) => {
			response.once('close', () => (isClosed = true));
			const send = () => {
				while (response.write(CONTENT));
				response.once('drain', send);
			};
			response.writeHead(200);
			send();
		});

		const { facts } = await serviceErrorOf(download(`${host.url}/a`, { maxBytes: KB * KB }));

		expect(facts).toEqual({ kind: 'tooLarge', detail: 'it is larger than 1 MB' });
		expect(host.arrivals).toHaveLength(1);
		await waitFor(() => expect(isClosed).toBe(true));
	});

	it('reads nothing of a file whose header announces more', async () => {
		const { length } = CONTENT;
		respondInTurn(host, (response) => {
			response.writeHead(200, { 'Content-Length': length + 1 }).flushHeaders();
		});
		const read = jest.fn();
		const reading = download(`${host.url}/a`, { read, maxBytes: length });

		expect((await serviceErrorOf(reading)).kind).toBe('tooLarge');
		expect(read).not.toHaveBeenCalled();
	});

	it('counts decompressed bytes', async () => {
		clock.hold();
		respondInTurn(host, (response) => {
			response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(CONTENT));
		});
		const limits = { maxBytes: CONTENT.length - 1 };

		expect((await serviceErrorOf(download(`${host.url}/a`, limits))).kind).toBe('tooLarge');
	});
});

describe('downloadJobFiles on a slow network', () => {
	let clock: SimulatedClock;
	/** When each try began, in ms. */
	let tries: number[];

	beforeEach(() => {
		clock = testClock(0);
		tries = [];
	});

	interface Sending {
		send: (signal?: AbortSignal) => AsyncGenerator<Buffer>;
		/** How long the head takes. */
		headMs?: number;
		read?: (stream: ByteStream) => Promise<void>;
		signal?: AbortSignal;
	}

	/** A service that sends this; its and the reader's sleeps are the only time that passes. */
	const clientFor = ({ send, headMs = 0 }: Sending) => {
		const respond: Connection['send'] = async ({ abortSignal }) => {
			tries.push(clock.now());
			const ended = abortSignal as AbortSignal;
			const canceled = Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
			await clock.sleep(headMs, ended);
			if (ended.aborted) throw canceled;
			const body = Readable.from(send(ended), { objectMode: false, highWaterMark: 1 });
			ended.addEventListener('abort', () => body.destroy(canceled));
			return { statusCode: 200, headers: {}, body };
		};
		return clientWith('https://api.example', respond, clock);
	};

	const LINK = 'https://files.example/a';

	const download = async (sending: Sending) => {
		const { read, signal } = sending;
		return await downloadOne({ client: clientFor(sending), clock, link: LINK, read, signal });
	};

	/** Sends `count` chunks of this size, each after a pause. */
	const chunks = (count: number, bytes: number, delayMs: number) =>
		async function* send(signal?: AbortSignal) {
			for (let chunk = 0; chunk < count; chunk++) {
				await clock.sleep(delayMs, signal);
				yield Buffer.alloc(bytes);
			}
		};

	/** Two megabytes in two seconds, and then nothing. */
	async function* fastAtFirst(signal?: AbortSignal) {
		yield* chunks(2, KB * KB, 1_000)(signal);
		yield* chunks(1, 1, Infinity)(signal);
	}

	it('tolerates 59 s of silence before each chunk', async () => {
		const { receivedBytes } = await download({ send: chunks(5, 100 * KB, 59_000) });

		expect(receivedBytes).toBe(5 * 100 * KB);
		expect(tries).toHaveLength(1);
	});

	it.each([
		['silence', { send: chunks(5, 100 * KB, 60_001) }, 60_000],
		['silence before the head', { send: chunks(1, KB, 0), headMs: 60_001 }, 60_000],
		['silence after the first chunks', { send: fastAtFirst }, 62_000],
	])('gives up after a minute of %s', async (_label, sending, afterMs) => {
		const error = await serviceErrorOf(download(sending));

		expect(error.facts).toEqual({ kind: 'tooSlow', detail: 'nothing arrived for a minute' });
		expect(tries).toEqual([0]);
		expect(clock.now()).toBe(afterMs);
	});

	it.each<[string, (stream: ByteStream) => Promise<void>]>([
		[
			'before it begins',
			async (stream) => {
				await clock.sleep(2 * 3_600_000);
				await drain(stream);
			},
		],
		[
			'with a chunk',
			async (stream) => {
				for await (const chunk of stream) {
					void chunk;
					await clock.sleep(2 * 3_600_000);
				}
			},
		],
	])("does not count the reader's time %s", async (_label, read) => {
		const { receivedBytes } = await download({ send: chunks(3, 100 * KB, 1_000), read });

		expect(receivedBytes).toBe(3 * 100 * KB);
		expect(tries).toHaveLength(1);
	});

	it('reads no faster than the reader', async () => {
		let sent = 0;
		let sentBefore = 0;
		async function* send() {
			for (; sent < 200; sent++) yield Buffer.alloc(100 * KB);
		}
		const read = async (stream: ByteStream) => {
			await clock.sleep(10_000);
			sentBefore = sent;
			await drain(stream);
		};

		const { receivedBytes } = await download({ send, read });

		expect(sentBefore).toBeLessThan(5);
		expect(receivedBytes).toBe(200 * 100 * KB);
	});
});

describe('downloadJobFiles', () => {
	it("sets no time limit of n8n's, which would also count while n8n stores a file", async () => {
		const timeouts: unknown[] = [];
		const send: Connection['send'] = async ({ timeout }) => {
			timeouts.push(timeout);
			return { statusCode: 200, headers: {}, body: Readable.from(['a'], { objectMode: false }) };
		};
		const client = clientWith('https://api.example', send, clock);

		await downloadOne({ client, clock, link: 'https://files.example/a' });

		expect(timeouts).toEqual([0]);
	});
});

type Respond = (response: ServerResponse, arrival: Arrival) => void;

/** Responds to the nth request with the nth of these, and to all later ones with the last. */
function respondInTurn(server: TestServer, ...responses: Respond[]): void {
	server.answers((arrival, response) => {
		const index = Math.min(server.arrivals.length, responses.length) - 1;
		responses[index]?.(response, arrival);
	});
}

function sendAll(response: ServerResponse): void {
	response.writeHead(200, { 'Content-Length': CONTENT.length }).end(CONTENT);
}

function failWith(statusCode: number, headers: Record<string, string> = {}): Respond {
	return (response) => void response.writeHead(statusCode, headers).end('No');
}

function redirectTo(location: string): Respond {
	return failWith(302, { Location: location });
}

async function drain(stream: ByteStream): Promise<void> {
	for await (const chunk of stream) void chunk;
}

/** A client that sends with this function instead of over the network. */
function clientWith(
	baseUrl: string,
	send: Connection['send'],
	clock: SimulatedClock,
): ServiceClient {
	const redactor = new Redactor();
	const connection = { baseUrl, send, redactor, clock };
	return new ServiceClient(new HttpClient(connection), new Account('test', clock));
}

describe('toSafeFileNames', () => {
	it.each([
		['keeps spaces and other scripts', 'my تقرير (final).pdf', 'my تقرير (final).pdf'],
		['removes leading dots and spaces', '. .env', 'env'],
		['keeps a dot at the end', 'report.', 'report.'],
		['removes a folder', '/etc/passwd', 'passwd'],
		['removes a folder of Windows', 'C:\\Users\\me\\a.txt', 'a.txt'],
		['removes a folder behind control characters', 'a\u0000/\u0001b.txt', 'b.txt'],
		['removes other line breaks', 'a\u2028b\u2029.txt', 'ab.txt'],
		['removes a reversed reading direction', 'invoice\u202efdp.exe', 'invoicefdp.exe'],
		['cuts a long name before its extension', `b${'a'.repeat(300)}.pdf`, `b${'a'.repeat(55)}.pdf`],
		['keeps only the last of two extensions', `${'a'.repeat(300)}.tar.gz`, `${'a'.repeat(57)}.gz`],
		['cuts a name without an extension', 'a'.repeat(300), 'a'.repeat(60)],
		['ends in no space when it cuts', `${'a'.repeat(59)} ${'b'.repeat(9)}`, 'a'.repeat(59)],
		['takes a long ending for no extension', `a.${'b'.repeat(300)}`, `a.${'b'.repeat(58)}`],
		['counts code points', `${'😀'.repeat(200)}.文書`, `${'😀'.repeat(57)}.文書`],
		['reads a very long name', `x/${'a'.repeat(5_000_000)}.pdf`, `${'a'.repeat(56)}.pdf`],
	])('%s', (_label, name, expected) => {
		expect(toSafeFileNames([name])).toEqual([expected]);
	});

	it.each([
		['unset', undefined],
		['two dots', '..'],
	])('numbers a file whose name is %s', (_label, name) => {
		expect(toSafeFileNames(['a.txt', name])).toEqual(['a.txt', 'file_2']);
	});

	it('numbers names that are equal once they are shortened', () => {
		const long = 'a'.repeat(300);

		expect(toSafeFileNames([`${long}1.pdf`, `${long}2.pdf`])).toEqual([
			`${'a'.repeat(56)}.pdf`,
			`${'a'.repeat(52)} (2).pdf`,
		]);
	});

	it.each<[string, string[], string[]]>([
		['equal names', ['a.txt', 'a.txt', 'a.txt'], ['a.txt', 'a (2).txt', 'a (3).txt']],
		['names that differ in case', ['A.txt', 'a.TXT'], ['A.txt', 'a (2).TXT']],
		['names past one with a number', ['a', 'A (2)', 'a'], ['a', 'A (2)', 'a (3)']],
		[
			'a name that another one has',
			['a.txt', 'a.txt', 'a (2).txt'],
			['a.txt', 'a (2).txt', 'a (2) (2).txt'],
		],
		['a name that stands for a missing one', ['', 'file_1'], ['file_1', 'file_1 (2)']],
	])('numbers %s', (_label, names, expected) => {
		expect(toSafeFileNames(names)).toEqual(expected);
	});

	it('numbers 20,000 equal names, one after the other', () => {
		const names = toSafeFileNames(Array<string>(20_000).fill('a.txt'));

		expect(new Set(names).size).toBe(20_000);
		expect(names.at(-1)).toBe('a (20000).txt');
	});

	it('returns safe and different names whatever the service sends', () => {
		const anyName = fc.option(fc.string({ unit: 'binary', maxLength: 300 }), { nil: undefined });

		fc.assert(
			fc.property(fc.array(anyName, { maxLength: 8 }), (given) => {
				const names = toSafeFileNames(given);

				const keys = names.map((name) => name.toLowerCase());
				expect(new Set(keys).size).toBe(given.length);
				for (const name of names) {
					expect(path.posix.basename(name)).toBe(name);
					expect(path.win32.basename(name)).toBe(name);
					expect(name).not.toMatch(/^$|^\.|[\p{Cc}/\\]/u);
					expect([...name].length).toBeLessThanOrEqual(60);
				}
			}),
			{ numRuns: 50 },
		);
	});
});
