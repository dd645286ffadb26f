import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type CheckName, CHECKS } from '../../../dev/live/checks';
import { checkService, type Report } from '../../../dev/live/checkService';
import type { LiveSettings } from '../../../dev/live/settings';
import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import type {
	EndpointName,
	Fault,
	JobScript,
	RealClock,
	SandboxOptions,
} from '../../../dev/sandbox/types';
import { type ServerAnswer, useServer } from '../../support/useServer';

const AGENT = '/v1/run_browser_agent';
const KEY = 'sandbox-pro-key';
const WORKFLOW = { workflowId: 'wf_invoice_download', workflowPayload: '{"vendor": "Acme"}' };

/** What only an account in a certain state, or a person, could show. */
const NEVER_SEEN: CheckName[] = ['usedUp', 'noMaximum', 'resumeTakenOver'];

const PURPOSES = {
	read: 'reads a page',
	download: 'downloads a PDF',
	wait: 'waits, is paused and resumed',
	unknown: 'reads the page with an unknown model',
	workflow: 'runs the saved workflow',
};
type Purpose = keyof typeof PURPOSES;

/** A sandbox that behaves otherwise. */
interface Difference {
	options?: SandboxOptions;
	scripts?: JobScript[];
	faults?: Fault[];
	/** For the kit's own jobs, by what they are for. */
	jobFaults?: Partial<Record<Purpose, Fault[]>>;
	/** Changes the status of an answer that comes before all faults. */
	changeStatus?(request: IncomingMessage, status: number): number;
	settings?: Partial<LiveSettings>;
	signal?: AbortSignal;
	onLine?(line: string): void;
}

const REQUEST_LIMIT_MS = 20_000;

let sandbox: Sandbox;
const lines: string[] = [];
afterEach(() => {
	lines.length = 0;
});

/** Checks a sandbox whose time passes only while the kit waits. */
async function check(difference: Difference = {}): Promise<Report> {
	const { options, scripts = [], faults = [], jobFaults = {}, settings, signal } = difference;
	const { changeStatus } = difference;
	const standing = { now: () => 60_000 * 28_000_000, sleep: async () => {} };
	sandbox = await startSandbox({ clock: standing, defaultJobSeconds: 10, ...options });
	const front = changeStatus && (await startFront(sandbox.url, changeStatus));
	try {
		const { admin } = sandbox;
		await admin.nextJobs([...scripts, { match: 'maximum duration', durationSeconds: 300 }]);
		const add = (fault: Fault) => {
			const text = JSON.stringify(fault).replaceAll('URL/', `${sandbox.url}/`);
			void admin.fault(JSON.parse(text) as Fault);
		};
		faults.forEach(add);
		return await checkService(
			{
				baseUrl: front?.url ?? sandbox.url,
				apiKey: KEY,
				pageUrl: 'https://page.example',
				fileUrl: 'https://page.example/file.pdf',
				...settings,
			},
			{
				signal,
				requestLimitMs: REQUEST_LIMIT_MS,
				clock: {
					now: () => sandbox.state.runDueEvents(),
					sleep: async (ms) => void (await admin.advance(ms / 1000)),
				},
				say(line) {
					lines.push(line);
					difference.onLine?.(line);
					const [, jobId = '', purpose] = /^Job (\S+) was started: (.+)$/.exec(line) ?? [];
					for (const [name, own] of Object.entries(jobFaults)) {
						if (PURPOSES[name as Purpose] !== purpose) continue;
						for (const fault of own) add({ ...fault, jobId });
					}
				},
			},
		);
	} finally {
		front?.close();
		await sandbox.close();
	}
}

/** A server in front of the sandbox, for the answers that no fault changes. */
async function startFront(url: string, changeStatus: NonNullable<Difference['changeStatus']>) {
	const forward = async (request: IncomingMessage, response: ServerResponse) => {
		const chunks = await request.toArray();
		const { method = 'GET', headers } = request;
		const answer = await fetch(`${url}${request.url}`, {
			method,
			headers: { Authorization: headers.authorization ?? '', 'Content-Type': 'application/json' },
			body: method === 'GET' ? undefined : Buffer.concat(chunks),
		});
		response.writeHead(changeStatus(request, answer.status), {
			'Retry-After': answer.headers.get('retry-after') ?? '',
		});
		response.end(await answer.text());
	};
	const server = createServer((request, response) => void forward(request, response));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}

function othersOf({ findings }: Report): CheckName[] {
	return findings.others.map(({ name }) => name);
}

function rowOf({ findings }: Report, name: CheckName) {
	return findings.rows.find((row) => row.name === name);
}

const changed = (endpoint: EndpointName, body: object, more: Partial<Fault> = {}): Fault => ({
	endpoint,
	kind: 'fields',
	body,
	times: 'always',
	...more,
});
const refused = (
	endpoint: Fault['endpoint'],
	status: number,
	skip: number,
	more: Partial<Fault> = {},
): Fault => ({ endpoint, kind: 'status', status, skip, ...more });

/** Starts before the first job, which the sandbox refuses for what they contain. */
const REFUSED_STARTS = 2;

/** Services that differ, and the rows that must say so. */
const DIFFERENT: [string, CheckName[], () => Difference][] = [
	[
		'whose answers have other codes',
		[
			...(['health', 'healthAnswer', 'wrongKey', 'unauthorized', 'invalid', 'blank'] as const),
			...(['unknownJob', 'wrongMethod', 'unknownWorkflow', 'missingInput', 'secondPause'] as const),
			...(['secondResume', 'ended', 'unknownModel', 'successes', 'pause'] as const),
		],
		() => ({
			settings: WORKFLOW,
			changeStatus: (_request, status) => (status === 401 ? 403 : status === 405 ? 404 : status),
			faults: [
				refused('getHealth', 401, 0),
				refused('startAgent', 400, 0),
				refused('startAgent', 422, 0),
				refused('startAgent', 400, 3),
				refused('getJob', 403, 0),
				refused('runWorkflow', 400, 0),
				refused('runWorkflow', 422, 0),
			],
			jobFaults: {
				read: [refused('pauseJob', 409, 0)],
				wait: [
					{ endpoint: 'pauseJob', kind: 'body', status: 202, body: { ok: true }, when: 'after' },
					refused('pauseJob', 409, 0),
					refused('resumeJob', 409, 1),
				],
			},
		}),
	],
	[
		'whose answers have other bodies',
		[
			...(['balance', 'start', 'startRunning', 'pollingUrl', 'output', 'moreFields'] as const),
			...(['nullBefore', 'errorText', 'filesAtEnd', 'files', 'lifetime', 'otherOrigin'] as const),
			...(['noKeyForFiles', 'resume', 'workflow', 'unknownPrice', 'workflowPrice'] as const),
		],
		() => ({
			settings: WORKFLOW,
			scripts: [
				{
					match: 'main heading',
					startBody: { status: 'provisioning', history_url: null },
				},
			],
			faults: [
				changed('getCreditBalance', { plan: 'gold' }),
				changed('resumeJob', { status: 'ok' }),
				changed('startAgent', { polling_url: 'URL/v1/none' }, { skip: REFUSED_STARTS, times: 1 }),
				changed('runWorkflow', { status: 'enqueued' }, { skip: 2 }),
			],
			jobFaults: {
				read: [changed('getJob', { output: null })],
				download: [
					changed('getJob', { output: 'early', created_at: 5 }, { times: 1 }),
					changed('getJob', { error: { code: 1 } }),
					changed('getJobFiles', { files: [{ filename: 5 }] }, { times: 1 }),
					changed('getJobFiles', {
						files: [{ filename: 'a.pdf', download_url: 'URL/v1/get_credit_balance' }],
					}),
				],
				unknown: [
					changed('getJob', { credits_used: 3 }, { times: 1 }),
					changed('getJob', { credits_used: 6 }),
				],
				workflow: [
					changed('getJob', { credits_used: 25 }, { times: 1 }),
					changed('getJob', { credits_used: 50 }),
				],
			},
		}),
	],
	[
		'whose limits are lower',
		['balanceLimit', 'pollLimit', 'startLimit', 'sharedLimit', 'unlimited', 'tooMany'],
		() => ({
			faults: [
				refused('getCreditBalance', 429, 20, { times: 'always' }),
				refused('startAgent', 429, 7, { times: 'always' }),
				refused('runWorkflow', 404, 1),
			],
			jobFaults: {
				read: [
					refused('getJob', 429, 30, { times: 'always' }),
					refused('getJobFiles', 429, 40, { times: 'always' }),
				],
			},
		}),
	],
	['without limits', ['balanceLimit', 'pollLimit'], () => ({ options: { limits: 'off' } })],
	[
		'whose jobs go otherwise',
		['status', 'resumed', 'pausesDoNotCount', 'price', 'charged', 'noCredits'],
		() => ({
			faults: [changed('getCreditBalance', { credit_balance: 0 })],
			jobFaults: {
				read: [
					changed('getJob', { status: 'queued', credits_used: 7 }, { times: 2 }),
					changed('getJob', { credits_used: 7 }),
				],
				wait: [
					changed('getJob', { credits_used: 7 }, { times: 3 }),
					changed('getJob', { credits_used: 7, status: 'provisioning' }, { times: 1 }),
					changed('getJob', { credits_used: 7 }, { times: 6 }),
					changed('getJob', { credits_used: 7, status: 'failed' }),
				],
			},
		}),
	],
	[
		'that does not pause',
		['paused'],
		() => ({ jobFaults: { wait: [changed('getJob', { status: 'running' })] } }),
	],
	[
		'without a maximum duration',
		['maxDuration'],
		() => ({
			jobFaults: {
				wait: [changed('getJob', { status: 'running', error: null }, { skip: 3 })],
			},
		}),
	],
];

describe('test:live against the sandbox', () => {
	it('finds all as documented and assumed, and nothing other', async () => {
		const report = await check({ settings: WORKFLOW });

		expect(othersOf(report)).toEqual([]);
		const unseen = report.findings.rows.filter(({ verdict }) => verdict === 'not seen');
		expect(unseen.map(({ name }) => name)).toEqual(['noCredits', ...NEVER_SEEN]);
		expect(report).toMatchObject({ stoppedBecause: undefined, stillRunning: [] });
	});
});

describe.each(DIFFERENT)('test:live against a service %s', (_label, names, difference) => {
	let report: Report;
	beforeAll(async () => {
		report = await check(difference());
	});

	it.each(names)("says 'other' of %s", (name) => {
		expect(rowOf(report, name)).toMatchObject({ verdict: 'other' });
	});

	it("says 'other' of nothing else", () => {
		expect(othersOf(report).filter((name) => !names.includes(name))).toEqual([]);
	});
});

it('Each assumption of the sandbox has a row of test:live', () => {
	const page = readFileSync('docs/sandbox.md', 'utf8');
	const [, list = ''] = /^## What it assumes\n([\s\S]*)/m.exec(page) ?? [];
	const numbers = (list.match(/^- /gm) ?? []).map((_, index) => index + 1);
	const bases = new Set(Object.values(CHECKS).map(({ basis }) => basis));

	expect([...bases].filter((basis) => basis !== 'documented')).toEqual(numbers);
});

it("Each row that test:live can see can say 'other'", () => {
	const tested = new Set<string>([...NEVER_SEEN, ...DIFFERENT.flatMap(([, names]) => names)]);

	expect(Object.keys(CHECKS).filter((name) => !tested.has(name))).toEqual([]);
});

describe('test:live', () => {
	const server = useServer();
	const visit = async (settings: Partial<LiveSettings> = {}) =>
		await checkService(
			{
				baseUrl: server.url,
				apiKey: KEY,
				pageUrl: 'https://page.example',
				fileUrl: 'https://page.example/file.pdf',
				...settings,
			},
			{ say: (line) => lines.push(line), requestLimitMs: 1000, clock: skippingClock() },
		);
	/** The starts that could have started a job. */
	const starts = () =>
		server.arrivals.filter(({ path, body }) => path === AGENT && body.includes('heading'));

	it('says in one sentence that nothing answers', async () => {
		const closed = await startFront(server.url, (_request, status) => status);
		closed.close();

		const report = await visit({ baseUrl: closed.url });

		expect(report.stoppedBecause).toBe('BASE_URL cannot be reached, no answer: ECONNREFUSED');
		expect(report.findings.toTable()).toContain('| not seen | not reached |');
	});

	it('says in one sentence that nothing answers in time', async () => {
		server.answers(() => {});

		expect((await visit()).stoppedBecause).toContain('none within 1 s');
	});

	it.each([
		['HTML', { body: '<html>Welcome</html>' }, /its balance is 200, HTML$/],
		['no body', { body: '' }, /its balance is 200, no body$/],
		['a 401', { statusCode: 401, body: {} }, /^The service refuses API_KEY with a 401$/],
		['a redirect', { statusCode: 302, headers: { location: '/login' } }, /302, no body$/],
	])('starts no job with a service that answers %s', async (_label, answer, sentence) => {
		server.answers(answer);

		const report = await visit();

		expect(report.stoppedBecause).toMatch(sentence);
		expect(server.arrivals.filter(({ method }) => method === 'POST')).toEqual([]);
	});

	it.each<[string, ServerAnswer | 'silence']>([
		['never comes', 'silence'],
		['is a 500', { statusCode: 500, body: {} }],
		['has no job ID', { body: { status: 'running' } }],
		['is HTML', { body: '<html></html>' }],
	])('starts once, and no other job, when the answer %s', async (_label, answer) => {
		server.answers((arrival, response) => {
			if (arrival.method === 'GET') response.end('{"status": "ok"}');
			else if (!arrival.body.includes('heading')) response.writeHead(422).end('{}');
			else if (answer !== 'silence') {
				response.writeHead(answer.statusCode ?? 200);
				response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
			}
		});

		const report = await visit();

		expect(starts()).toHaveLength(1);
		expect(report.stoppedBecause).toBe('the outcome of a start is not known');
		expect(lines.join('\n')).toContain('Whether a job was started (reads a page) is not known: ');
	});

	it('never prints the key, also when the service repeats it', async () => {
		const key = 'live/key+0123';
		server.answers({ body: { status: `bad ${key}`, [key]: encodeURIComponent(key), job_id: key } });

		const report = await visit({ apiKey: key });

		const printed = [report.findings.toTable(), report.stoppedBecause, ...lines].join('\n');
		expect(printed).toContain('***');
		expect(printed).not.toContain(key);
		expect(printed).not.toContain(encodeURIComponent(key));
	});

	it('starts at most five jobs when the service starts one for each request', async () => {
		let jobs = 0;
		const paused = new Set<string>();
		server.answers((arrival, response) => {
			const id = arrival.path.split('/').at(-1) ?? '';
			if (arrival.path.includes('pause')) paused.add(id);
			const status = paused.has(id) ? 'paused' : 'running';
			const isStart = arrival.path === AGENT || arrival.path.startsWith('/workflows');
			const isPost = arrival.method === 'POST';
			response.end(JSON.stringify(isStart && isPost ? { job_id: `job_${++jobs}` } : { status }));
		});

		const { stillRunning } = await visit();

		expect(jobs).toBe(5);
		expect(stillRunning).toEqual([]);
		expect([...paused].sort()).toEqual(['job_1', 'job_2', 'job_3', 'job_4', 'job_5']);
	});

	it('pauses its job when it is stopped', async () => {
		const stop = new AbortController();
		const statuses: string[] = [];
		const report = await check({
			signal: stop.signal,
			onLine(line) {
				if (line.includes('reads a page')) stop.abort();
				if (line.includes('is paused'))
					statuses.push(...[...sandbox.state.jobs.values()].map((job) => job.status(0)));
			},
		});

		expect(statuses).toEqual(['paused']);
		expect(report).toMatchObject({ stoppedBecause: 'it was stopped', stillRunning: [] });
	});

	it('does not take the failure of a model for a maximum duration', async () => {
		const error = 'The model does not answer';
		const report = await check({
			scripts: [{ match: 'maximum duration', durationSeconds: 10, outcome: 'failed', error }],
		});

		for (const name of ['maxDuration', 'pausesDoNotCount'] as const) {
			expect(rowOf(report, name)).toMatchObject({
				verdict: 'not seen',
				seen: expect.stringContaining(error) as string,
			});
		}
	});

	it('names its job that can not be paused', async () => {
		const { stillRunning } = await check({
			jobFaults: {
				read: [
					refused('pauseJob', 500, 0, { times: 'always' }),
					changed('getJob', { status: 'running' }),
				],
			},
		});

		expect(lines[0]).toBe(`Job ${stillRunning[0]} was started: reads a page`);
		expect(stillRunning).toHaveLength(1);
	});
});

/** Time that passes only while the kit waits. */
function skippingClock(): RealClock {
	let time = 0;
	return {
		now: () => time,
		sleep: async (ms) => {
			time += ms;
		},
	};
}
