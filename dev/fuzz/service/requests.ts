import fc from 'fast-check';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';

/** What tokens in a request stand for, as soon as the service runs. */
export const TOKENS = {
	key: '{key}',
	host: '{host}',
	/** A job that thinks, and one that has ended with an output and a file. */
	live: '{live-job}',
	liveSecret: '{live-secret}',
	ended: '{ended-job}',
	endedSecret: '{ended-secret}',
	/** The history's secret of the job that thinks. */
	otherSecret: '{other-secret}',
	file: '{file}',
};

/** A request as a stranger sends it: anything may stand anywhere. */
export interface StrangeRequest {
	method: string;
	target: string;
	headers: [string, string][];
	body: Buffer;
	/** Cuts the request off in its body, and says no more. */
	isCutOff: boolean;
}

const strange = fc.oneof(
	fc.string({ maxLength: 30 }),
	fc.constantFrom(
		'..%2f..%2fkey',
		'../../key',
		'%2e%2e/%2e%2e/credits.json',
		'%00',
		'%zz',
		'%ff%fe',
		'__proto__',
		'constructor',
		'x'.repeat(10_000),
		'<script>alert(1)</script>',
		'job_1%0d%0aX-Bad:%201',
		'-1',
		'1e309',
		'NaN',
		'0/../../record.json',
	),
);

const id = fc.constantFrom(TOKENS.live, TOKENS.ended, 'job_000000000000000000000000');
const secret = fc.constantFrom(TOKENS.liveSecret, TOKENS.endedSecret, TOKENS.otherSecret);
const operation = fc.constantFrom('get_job_status', 'get_job_files', 'pause_job', 'resume_job');
const page = fc.constantFrom('live', 'history');
const part = fc.constantFrom(
	'state',
	'picture',
	'input',
	'take-over',
	'hand-back',
	'pause',
	'resume',
	'steps/0',
	'steps/1',
	'ending',
);

/** Mostly right, with something strange in one place or the other. */
const usually = (right: fc.Arbitrary<string>) =>
	fc.oneof({ arbitrary: right, weight: 6 }, { arbitrary: strange, weight: 1 });

const target = fc.oneof(
	fc.constant('/v1/run_browser_agent'),
	fc.constantFrom(
		'/v1/run_browser_agent',
		'/v1/get_credit_balance',
		'/v1/health',
		TOKENS.file,
		'*',
	),
	fc.tuple(usually(operation), usually(id)).map(([name, job]) => `/v1/${name}/${job}`),
	strange.map((name) => `/workflows/run-with-payload/${name}`),
	fc
		.tuple(usually(page), usually(id), usually(secret))
		.map(([name, job, word]) => `/${name}/${job}/${word}`),
	fc
		.tuple(usually(page), usually(id), usually(secret), usually(part))
		.map(([name, job, word, more]) => `/${name}/${job}/${word}/${more}`),
	fc.tuple(fc.constantFrom('/files/', '/pages/', '/'), strange).map((parts) => parts.join('')),
	strange,
);

const header: fc.Arbitrary<[string, string]> = fc.oneof(
	fc.constantFrom<[string, string][]>(
		['Host', 'evil.example'],
		['Host', '127.0.0.1'],
		['Host', '127.0.0.1:80@evil.example'],
		['Origin', 'https://evil.example'],
		['Origin', 'null'],
		['Content-Encoding', 'gzip'],
		['Content-Encoding', 'br'],
		['Content-Encoding', 'nonsense'],
		['Content-Type', 'text/plain'],
		['Content-Type', 'application/json; charset=utf-7'],
		['Content-Type', 'application/json; charset=utf-16'],
		['Transfer-Encoding', 'chunked'],
		['Expect', '100-continue'],
		['Upgrade', 'websocket'],
		['Range', 'bytes=0-0,1-1,2-2,-1'],
		['X-Forwarded-Host', 'evil.example'],
		['If-None-Match', '*'],
		['Cookie', 'x'.repeat(5000)],
	),
	fc.tuple(
		fc.constantFrom('Authorization', 'Host', 'Origin', 'Accept', 'Content-Length'),
		strange.map((text) => text.replace(/[^\x20-\x7e]/g, '?')),
	),
);

const authorization = fc.constantFrom<[string, string][][]>(
	[['Authorization', `Bearer ${TOKENS.key}`]],
	[['Authorization', `Bearer ${TOKENS.key}`]],
	[['Authorization', `Bearer ${TOKENS.key}`]],
	[['Authorization', `bearer  ${TOKENS.key}`]],
	[['Authorization', `Basic ${TOKENS.key}`]],
	[['Authorization', `Bearer ${TOKENS.liveSecret}`]],
	[],
);

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const body = fc.oneof(
	fc.constant(''),
	fc.json({ maxDepth: 4 }),
	fc.constantFrom(
		'{}',
		'{"directive":"Strange job"}',
		'{"directive":" "}',
		'{"directive":"Strange job","initial_url":"javascript:alert(1)"}',
		'{"directive":"Strange job","initial_url":"file:///etc/passwd"}',
		'{"directive":"Strange job","cdp_url":"http://169.254.169.254/"}',
		'{"directive":"Strange job","__proto__":{"isForbidden":false}}',
		'{"directive":"Strange job","browser_config":{"width":1e9}}',
		`{"directive":"Strange job","browser_config":${deep(50_000)}}`,
		deep(500_000),
		`{"directive":"${'x'.repeat(2_000_000)}"}`,
		'[{"type":"text","text":"x"}]',
		`[${'{"type":"key","key":"a"},'.repeat(5000)}{"type":"key","key":"a"}]`,
		'\ud800',
	),
);

/** Requests of strangers, and of those who know a part of what is needed. */
export const strangeRequests: fc.Arbitrary<StrangeRequest> = fc
	.record({
		method: fc.oneof(
			{ arbitrary: fc.constantFrom('GET', 'POST'), weight: 4 },
			fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PATCH'),
			fc.constantFrom('get', 'CONNECT', 'BREW'),
		),
		target,
		authorization,
		more: fc.oneof(
			{ arbitrary: fc.constant<[string, string][]>([]), weight: 2 },
			fc.array(header, { maxLength: 2 }),
		),
		body,
		isCompressed: fc.boolean(),
		isCutOff: fc.oneof({ arbitrary: fc.constant(false), weight: 9 }, fc.boolean()),
	})
	.map(({ authorization: auth, more, body: text, isCompressed, ...rest }) => {
		const isGzip = more.some(([name, value]) => name === 'Content-Encoding' && value === 'gzip');
		const bytes = Buffer.from(text);
		const names = more.map(([name]) => name);
		const headers: [string, string][] = [
			...(names.includes('Host') ? [] : [['Host', TOKENS.host] as [string, string]]),
			...(names.includes('Authorization') ? [] : auth),
			...(names.includes('Content-Type')
				? []
				: [['Content-Type', 'application/json'] as [string, string]]),
			...more,
		];
		return { ...rest, headers, body: isGzip && isCompressed ? gzipSync(bytes) : bytes };
	});

/** What came back, as far as it did. */
export interface StrangeReply {
	/** 0: the connection was closed without a status. */
	status: number;
	/** All of it, headers included. */
	text: string;
	isTooLate: boolean;
}

/** Sends a request byte by byte as it is, and reads until the connection is closed. */
export async function send(
	{ method, target: path, headers, body: bytes, isCutOff }: StrangeRequest,
	fill: (text: string) => string,
	{ port, limitMs }: { port: number; limitMs: number },
): Promise<StrangeReply> {
	const hasLength = headers.some(([name]) => name === 'Content-Length');
	const isChunked = headers.some(([name]) => name === 'Transfer-Encoding');
	const length: [string, string][] =
		hasLength || isChunked || bytes.length === 0
			? []
			: [['Content-Length', String(bytes.length + (isCutOff ? 10 : 0))]];
	const lines = [...headers, ...length, ['Connection', 'close']].map((one) => one.join(': '));
	const head = Buffer.from(fill(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`));

	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		const chunks: Buffer[] = [];
		const end = (isTooLate: boolean) => {
			clearTimeout(timer);
			socket.destroy();
			const text = Buffer.concat(chunks).toString();
			const [, status = '0'] = /^HTTP\/1\.1 ([2-5]\d\d)/m.exec(text) ?? [];
			resolve({ status: Number(status), text, isTooLate });
		};
		const timer = setTimeout(() => end(true), limitMs);
		socket.on('data', (chunk) => chunks.push(chunk));
		socket.on('close', () => end(false));
		socket.on('error', () => {});
		socket.write(head);
		if (isChunked) {
			socket.write(`${bytes.length.toString(16)}\r\n`);
			socket.write(Buffer.concat([bytes, Buffer.from('\r\n0\r\n\r\n')]));
		} else if (bytes.length > 0) socket.write(bytes);
		if (isCutOff) setTimeout(() => socket.end(), 20);
	});
}
