import type { IExecuteFunctions, INode, INodeParameters, NodeApiError } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { CONTINUE, ERROR_OUTPUT, toResult, type NodeResult } from '../../support/runNode';
import { TestAgent } from '../../support/testRuntime';
import { useSandbox, waitRun, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox({ limits: 'off' });

/** Ends after the minute in which the node waits itself. */
const LONG = 130;
const LONG_JOB: JobScript = { durationSeconds: LONG, output: 'a long story' };
const ENDLESS: JobScript = { statuses: ['running'] };

/** Waits for the same jobs in the process and, at the same time, in n8n's database. */
async function inProcessAndSuspended(run: SandboxRun) {
	const { engine, finished } = service.suspend(run);
	const [inProcess, suspended] = await Promise.all([service.run(run), finished]);
	return { inProcess: withoutTimes(inProcess), suspended: withoutTimes(suspended), engine };
}

/** What a user, or a node that comes after, can see of a result, but for how long it took. */
function withoutTimes({ items, errorItems, error, status }: NodeResult): unknown {
	const seen = (shown: NodeResult['items']) =>
		shown.map(({ json, binary, pairedItem, error: itemError }) => ({
			json: { ...json, duration_seconds: typeof json.duration_seconds },
			binary,
			pairedItem,
			error: itemError && seenOf(itemError),
		}));
	const result = {
		status,
		items: seen(items),
		errorItems: seen(errorItems),
		error: error && seenOf(error),
	};
	return JSON.parse(JSON.stringify(result)) as unknown;
}

function seenOf(error: object) {
	const { name, message, description, context, httpCode, node } = error as NodeApiError;
	return { name, message, description, context, httpCode, node: node.name };
}

describe('A suspended wait ends as one in the process would', () => {
	const TAKEN_OVER = { ...LONG_JOB, outcome: 'user_taken_over', error: 'At ws://cdp.example/1' };
	const BY_EXAMPLE = { outputFormat: 'example', outputExample: '{"price": 5}' };

	it.each<[string, JobScript, INodeParameters, INodeParameters?]>([
		['a completed job', LONG_JOB, {}],
		['a failed job', { ...LONG_JOB, outcome: 'failed', error: 'A captcha' }, {}],
		['a job that a user took over', TAKEN_OVER, { returnInsteadOfFailing: ['takeover'] }],
		[
			'a late job that is returned',
			ENDLESS,
			{ maxWaitMinutes: 4, returnInsteadOfFailing: ['timeout'] },
		],
		['a job with files', { ...LONG_JOB, files: [{ filename: 'a.txt' }] }, { downloadFiles: true }],
		['a job with Simplify off', LONG_JOB, {}, { simplify: false }],
		['an output that does not match', { ...LONG_JOB, output: { price: '20' } }, {}, BY_EXAMPLE],
	])('%s', async (_label, script, options, parameters = {}) => {
		const jobId = await service.givenJob(script);

		const { inProcess, suspended, engine } = await inProcessAndSuspended(
			waitRun([jobId], { ...options }, { parameters }),
		);

		expect(engine.subWorkflows).toBe(1);
		expect(suspended).toEqual(inProcess);
	});

	it.each([
		['a refused key', 401],
		['a job that is gone', 404],
	])('%s', async (_label, status) => {
		const jobId = await service.givenJob(ENDLESS);
		const run = waitRun([jobId]);

		const other = service.start(run);
		const { engine, finished } = service.suspend(run);
		await engine.suspended;
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status, times: 'always' });
		const [inProcess, suspended] = await Promise.all([toResult(other.finished), finished]);

		expect(suspended.error?.message).toBe(inProcess.error?.message);
		expect(suspended.error?.message).toContain(`HTTP ${status} from the service`);
	});
});

describe('A batch with Suspend While Waiting', () => {
	/** Long and short, good and bad, in an order that is not that of their ends. */
	async function givenMixedJobs(): Promise<string[]> {
		const jobIds = await service.givenJobs(
			{ ...LONG_JOB, durationSeconds: 2 * LONG, output: 'first' },
			{ durationSeconds: 5, outcome: 'failed', error: 'A captcha' },
			{ ...LONG_JOB, outcome: 'failed', error: 'A wall' },
			{ durationSeconds: 5, output: 'short' },
			{ ...LONG_JOB, output: 'last' },
		);
		return jobIds.toSpliced(2, 0, 'job_gone');
	}

	it.each<[string, Partial<INode>]>([
		['regular', CONTINUE],
		['error', ERROR_OUTPUT],
	])(
		'returns each item in its place, paired, with Continue (using %s output)',
		async (...given) => {
			const [, settings] = given;
			const jobIds = await givenMixedJobs();

			const { inProcess, suspended, engine } = await inProcessAndSuspended(
				waitRun(jobIds, {}, { settings }),
			);

			expect(engine.subWorkflows).toBe(1);
			expect(suspended).toEqual(inProcess);
		},
	);

	it('is suspended after a minute even if Max Parallel Jobs is lower than the number of jobs', async () => {
		const jobIds = await service.givenJobs(...Array<JobScript>(11).fill(ENDLESS));

		const { engine, finished } = service.suspend(waitRun(jobIds, { maxWaitMinutes: 10 }));

		await engine.suspended;
		const [first] = await service.sent('getJob');
		const suspendedAfterMs = service.clock.now() - (first?.sandboxMs ?? 0);
		engine.stop();
		await finished;
		expect(suspendedAfterMs).toBeLessThan(65_000);
	});

	it('is not suspended when an item must wait in the process', async () => {
		await service.admin.nextJobs([ENDLESS, { durationSeconds: 300 }]);
		const options = {
			maxWaitMinutes: '={{ $json.minutes }}',
			returnInsteadOfFailing: ['timeout'],
			pauseJob: 'onEarlyEnd',
			suspendWhileWaiting: '={{ $json.suspends }}',
		};
		const input = [
			{ suspends: true, minutes: 3 },
			{ suspends: false, minutes: 30 },
		];
		const began = service.clock.now();

		const { engine, finished } = service.suspendAgent(options, { input });

		const { task } = await finished;
		const [pause] = await service.sent('pauseJob');
		expect((pause?.sandboxMs ?? Infinity) - began).toBeLessThan(190_000);
		expect(engine.subWorkflows).toBe(0);
		expect(task?.hints?.map(({ message }) => message)).toContain(
			"'Suspend While Waiting' is off for some items, so the execution was not suspended.",
		);
	});

	it('is suspended when an item does not wait at all', async () => {
		await service.admin.nextJobs([LONG_JOB, LONG_JOB]);

		const { engine, finished } = service.suspendAgent(
			{ suspendWhileWaiting: '={{ $json.waits }}' },
			{
				input: [{ waits: false }, { waits: true }],
				parameters: { waitUntilFinished: '={{ $json.waits }}' },
			},
		);

		const { items } = await finished;
		expect(items.map(({ json }) => json.output)).toEqual([undefined, 'a long story']);
		expect(engine.subWorkflows).toBe(1);
	});

	it.each([
		['waits for', true],
		['does not wait for', false],
	])(
		'stays in the process until the last start is answered, of a job that the node %s',
		async (_label, waits) => {
			await service.admin.nextJobs([{ ...ENDLESS, match: 'first' }, { match: 'second' }]);
			const retryLater = { status: 429, headers: { 'retry-after': '600' } };
			await service.fault('startAgent', { kind: 'status', ...retryLater }, { skip: 1 });
			const began = service.clock.now();

			await service.suspendAgent(
				{
					maxWaitMinutes: '={{ $json.minutes }}',
					returnInsteadOfFailing: ['timeout'],
					pauseJob: 'onEarlyEnd',
				},
				{
					input: [
						{ task: 'first', waits: true, minutes: 3 },
						{ task: 'second', waits, minutes: 30 },
					],
					parameters: { directive: '={{ $json.task }}', waitUntilFinished: '={{ $json.waits }}' },
				},
			).finished;

			const [pause] = await service.sent('pauseJob');
			expect((pause?.sandboxMs ?? Infinity) - began).toBeLessThan(190_000);
		},
	);

	it("returns n8n's own message for an item whose field cannot be evaluated", async () => {
		const jobId = await service.givenJob(LONG_JOB);
		const parameters = { jobId: '={{ $json.job_id ?? $json.a.b.c }}' };
		const more = { parameters, input: [{ job_id: jobId }, {}], settings: CONTINUE };

		const { inProcess, suspended } = await inProcessAndSuspended(waitRun([], {}, more));

		expect(suspended).toEqual(inProcess);
	});
});

describe('While an item of a batch with Suspend While Waiting downloads a file for ten minutes', () => {
	/** The node, in an n8n that takes ten minutes to store a file. */
	class SlowlyStoring extends TestAgent {
		override async execute(this: IExecuteFunctions) {
			const { prepareBinaryData } = this.helpers;
			this.helpers.prepareBinaryData = async (...args) => {
				await service.clock.sleep(600_000);
				return await prepareBinaryData(...args);
			};
			return await new TestAgent().execute.call(this);
		}
	}

	it.each([
		['in the process', 5],
		['in a round', LONG],
	])('the jobs of the others are checked and paused at their deadlines, %s', async (...given) => {
		const [, durationSeconds] = given;
		const jobIds = await service.givenJobs(
			{ durationSeconds, files: [{ filename: 'a.txt', content: 'a' }] },
			ENDLESS,
		);
		const began = service.clock.now();
		const options = {
			maxWaitMinutes: 5,
			downloadFiles: true,
			pauseJob: 'onEarlyEnd',
			returnInsteadOfFailing: ['timeout'],
		};

		const { json } = await service.suspend({
			...waitRun(jobIds, options),
			nodeType: new SlowlyStoring(),
		}).finished;

		expect(json.map(({ status }) => status)).toEqual(['completed', 'paused']);
		const [pause] = await service.sent('pauseJob');
		const pausedAfterMs = (pause?.sandboxMs ?? Infinity) - began;
		expect(pausedAfterMs).toBeGreaterThanOrEqual(300_000);
		expect(pausedAfterMs).toBeLessThan(310_000);
		const polls = await service.requests({ endpoint: 'getJob', jobId: jobIds[1] });
		expect((polls.at(-1)?.sandboxMs ?? 0) - began).toBeGreaterThanOrEqual(300_000);
	});

	it('a wait that could not be resumed in time keeps all of them in the process', async () => {
		const jobIds = await service.givenJobs(ENDLESS, { durationSeconds: 200 });
		const options = {
			maxWaitMinutes: '={{ $json.minutes }}',
			returnInsteadOfFailing: ['timeout'],
		};
		const began = service.clock.now();

		const { engine, finished } = service.suspend({
			...waitRun([], options),
			input: [
				{ job_id: jobIds[0], minutes: 1.5 },
				{ job_id: jobIds[1], minutes: 60 },
			],
		});

		await engine.suspended;
		expect(service.clock.now() - began).toBeGreaterThanOrEqual(90_000);
		expect(service.clock.now() - began).toBeLessThan(100_000);
		const { json } = await finished;
		expect(json.map(({ status }) => status)).toEqual(['running', 'completed']);
	});
});

describe('A suspended wait for new jobs', () => {
	it('runs a saved workflow, with what only the response to its start contains', async () => {
		await service.admin.nextJob(LONG_JOB);

		const { items } = await service.suspend({
			resource: 'workflow',
			operation: 'run',
			parameters: { workflowId: 'wf_invoice_download', payload: 'Download the invoices' },
		}).finished;

		expect(items[0]?.json).toMatchObject({
			status: 'completed',
			output: 'a long story',
			workflow_id: 'wf_invoice_download',
			conversation_id: expect.any(String),
		});
	});
});
