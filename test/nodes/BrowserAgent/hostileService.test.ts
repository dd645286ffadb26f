import type { INodeParameters } from 'n8n-workflow';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import { captureLog } from '../../support/captureLog';
import { runNode } from '../../support/runNode';
import { steadyClock } from '../../support/steadyClock';
import { setClock } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

const KEY = 'key-5ecret-0123456789';
const MB = 1024 * 1024;
const START = { directive: 'Find the price', waitUntilFinished: false };
const ID = { jobId: 'job_1' };

const server = useServer();

// Slower than elsewhere: a busy machine takes a while to unpack a hundred megabytes.
beforeEach(() => setClock(steadyClock(5)));

async function run(resource: string, operation: string, parameters: INodeParameters, items = 1) {
	return await runNode({
		baseUrl: server.url,
		apiKey: KEY,
		resource,
		operation,
		parameters,
		input: Array.from({ length: items }, () => ({})),
	});
}

/** The job of every ID, as this body says. */
function answersJobs(body: string): void {
	server.answers({ body });
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('An answer of 100 kB that unpacks to 100 MB', () => {
	// Of spaces, which are JSON as far as they go.
	const bomb = gzipSync(Buffer.alloc(100 * MB, ' '));
	const sendBomb = (statusCode: number) => (_arrival: unknown, response: ServerResponse) => {
		response.writeHead(statusCode, { 'Content-Encoding': 'gzip' }).end(bomb);
	};

	it('makes a start unclear', async () => {
		server.answers(sendBomb(200));

		const { error } = await run('agent', 'run', START);

		expect(server.arrivals).toHaveLength(1);
		expect(error?.message).toBe(
			"It is unclear whether a job was started; a job may be running. The service's response is too large (over 5 MB)",
		);
	});

	it.each<[string, string, INodeParameters, string]>([
		['job', 'get', ID, "Job job_1: The service's response is too large (over 10 MB)"],
		['job', 'pause', ID, "Job job_1: The service's response is too large (over 5 MB)"],
		['job', 'resume', ID, "Job job_1: The service's response is too large (over 5 MB)"],
		['jobFile', 'getAll', ID, "Job job_1: The service's response is too large (over 5 MB)"],
		['account', 'getCreditBalance', {}, "The service's response is too large (over 5 MB)"],
	])('is an error of %s: %s', async (resource, operation, parameters, message) => {
		server.answers(sendBomb(200));

		const { error } = await run(resource, operation, parameters);

		expect(error?.message).toBe(message);
	});

	it('makes the service unhealthy', async () => {
		server.answers(sendBomb(200));

		const { items } = await run('service', 'getHealth', {});

		expect(items[0]?.json).toEqual({ healthy: false, message: 'over 5 MB' });
	});

	it('does not hide the status of a refused start', async () => {
		server.answers(sendBomb(402));

		const { error } = await run('agent', 'run', START);

		expect(error?.message).toBe('The account has too few credits to start a job');
	});
});

describe('What n8n could not copy', () => {
	it("keeps the job's ID in the error when its reason is nested 6,000 levels deep", async () => {
		answersJobs(`{"status":"failed","error":${nested(6_000)}}`);

		const { error } = await run('job', 'wait', ID);

		expect(error?.message).toMatch(/^Job job_1 failed: \[{499}…$/);
		expect(error?.context).toMatchObject({ jobIds: ['job_1'] });
	});

	it.each([6_000, 100_000])('keeps an output of %i levels as text', async (levels) => {
		answersJobs(`{"status":"completed","output":${nested(levels)}}`);

		const { items } = await run('job', 'get', ID);

		expect(items[0]?.json).toMatchObject({ job_id: 'job_1', output: nested(levels) });
	});

	it('keeps an output of a million lists as text', async () => {
		const output = `[${'[],'.repeat(1_000_000)}[]]`;
		answersJobs(`{"status":"completed","output":${output}}`);

		const { items } = await run('job', 'get', ID);

		expect(items[0]?.json).toMatchObject({ status: 'completed', output });
	});

	it('takes no cut answer for a result, however much of it has come', async () => {
		answersJobs(`{"status":"completed","output":[${'{"a":1},'.repeat(300_000)}{"a":1}`);

		const { error } = await run('job', 'get', ID);

		expect(error?.message).toBe("Job job_1: The service's response could not be read");
	});

	it('is no job list: too many files are an error', async () => {
		answersJobs(`{"files":[${'{},'.repeat(300_000)}{}]}`);

		const { error } = await run('jobFile', 'getAll', ID);

		expect(error?.message).toBe('Job job_1 has more than 1000 files');
	});
});

describe('Text from the service is safe to show', () => {
	const forged = `x\r\n2026-01-01 | error | forged \u202e<b> ${KEY}`;

	it('in the message of a job that does not end', async () => {
		setClock(steadyClock(100));
		answersJobs(JSON.stringify({ status: forged }));

		const { error } = await run('job', 'wait', { ...ID, options: { maxWaitMinutes: 0.1 } });

		expect(error?.message).toBe(
			'Job job_1 was still x 2026-01-01 | error | forged ‹b› [hidden] after 0.1 minutes',
		);
	});

	it('in the hint about several jobs', async () => {
		setClock(steadyClock(100));
		answersJobs(JSON.stringify({ status: forged }));

		const { task } = await run(
			'job',
			'wait',
			{ ...ID, options: { maxWaitMinutes: 0.1, onTimeout: 'return' } },
			2,
		);

		expect(task?.hints?.map(({ message }) => message)).toEqual([
			'2 jobs: 2 x 2026-01-01 | error | forged ‹b› [hidden].',
		]);
	});

	it('in the job_error of an item, as text or as data', async () => {
		const cdp_url = 'wss://browsers.example.com/x?token=5e6f7a8b9c';
		const details = { tried: [cdp_url], key: KEY };
		const texts = ['lost 5e6f7a8b9c, wss%3A%2F%2Fother.example.com/y', { details }];
		const shown: unknown[] = [];
		for (const error of texts) {
			answersJobs(JSON.stringify({ status: 'failed', cdp_url, error }));
			shown.push((await run('job', 'get', ID)).items[0]?.json.job_error);
		}

		expect(shown).toEqual([
			'lost [hidden], [hidden]',
			{ details: { tried: ['[hidden]'], key: '[hidden]' } },
		]);
	});

	it("in n8n's log", async () => {
		const lines = captureLog();
		server.answers({ statusCode: 500, body: { detail: forged } });

		await run('agent', 'run', START);

		expect(lines).toEqual([
			'Browser Agent: it is unclear whether a job was started: x 2026-01-01 | error | forged ‹b› [hidden]',
		]);
	});
});

describe('Names of the prototype', () => {
	it.each(['__proto__', 'constructor', 'toString'])('%s is no operation', async (name) => {
		const asResource = await run(name, 'get', ID);
		const asOperation = await run('job', name, ID);

		expect(asResource.error?.message).toBe(`'Operation' has no option '${name}:'`);
		expect(asOperation.error?.message).toBe(`'Operation' has no option 'job: ${name}'`);
		expect(server.arrivals).toEqual([]);
	});

	it('an operation that is no text is shown as JSON', async () => {
		const { error } = await run('job', { toString: 1 } as unknown as string, ID);

		expect(error?.message).toBe(`'Operation' has no option 'job: {"toString":1}'`);
	});

	it.each(['__proto__', 'constructor', 'toString'])('%s is no option', async (name) => {
		const { error } = await run('job', 'wait', { ...ID, options: { onTimeout: name } });

		expect(error?.message).toBe(`'On Timeout' has no option '${name}'`);
	});

	it.each(['__proto__', 'constructor'])('%s is a status like any other', async (name) => {
		answersJobs(JSON.stringify({ status: name }));

		const { items } = await run('job', 'get', ID);

		expect(items[0]?.json).toEqual({ job_id: 'job_1', status: name, is_finished: false });
	});
});
