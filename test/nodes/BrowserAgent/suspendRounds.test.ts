import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';

import type { JobScript, LoggedRequest } from '../../../dev/sandbox/types';
import { captureLog } from '../../support/captureLog';
import { slowCredentials } from '../../support/slowCredentials';
import { waitFor } from '../../support/waitFor';
import { CONTINUE, RETRY_AND_CONTINUE, RETRY_ON_FAIL } from '../../support/runNode';
import { runTool } from '../../support/runTool';
import type { EngineLimits } from '../../support/StoringEngine';
import { testRuntime } from '../../support/testRuntime';
import { useSandbox, type SandboxRun, waitRun } from '../../support/useSandbox';

const service = useSandbox({ limits: 'off' });

const MINUTE_MS = 60_000;
/** Ends after the minute in which the node waits itself. */
const LONG_JOB: JobScript = { durationSeconds: 150, output: 'a long story' };
const ENDLESS: JobScript = { statuses: ['running'] };

/** The number of polls at least a minute after the one before: those of rounds. */
function rounds(requests: LoggedRequest[]): number {
	return requests.filter(
		({ sandboxMs }, index) => sandboxMs - (requests[index - 1]?.sandboxMs ?? sandboxMs) > MINUTE_MS,
	).length;
}

describe('The first minute of a wait with Suspend While Waiting', () => {
	it('passes in the process, so that a short job needs no inner execution and leaves no timer', async () => {
		await service.admin.nextJobs([['completed'], ['running', 'running', 'completed']]);

		const { engine, finished } = service.suspendAgent({}, { input: [{}, {}] });

		const { items } = await finished;
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
		expect(engine.subWorkflows).toBe(0);
		expect(service.clock.sleepers).toBe(0);
	});

	it('pauses the job when it is stopped while n8n suspends it', async () => {
		await service.admin.nextJob(ENDLESS);
		const { engine, finished } = service.suspendAgent({}, {}, { isStoppedMeanwhile: true });

		const { status } = await finished;

		expect(engine.subWorkflows).toBe(1);
		expect(status).toBe('canceled');
		await waitFor(async () => expect(await service.jobStatuses()).toEqual(['paused']));
	});
});

describe('An error that nobody foresaw, of an item beside those that are suspended', () => {
	it('is logged once, with its stack', async () => {
		const lines = captureLog();
		jest
			.spyOn(Container.get(BinaryDataService), 'store')
			.mockRejectedValue(new Error('ENOSPC: no space left on device'));
		await service.admin.nextJobs([{ files: [{ filename: 'a.txt', content: 'a' }] }, LONG_JOB]);

		const { finished } = service.suspendAgent(
			{ downloadFiles: true },
			{ input: [{}, {}], settings: CONTINUE },
		);

		const { items } = await finished;
		expect(items.map(({ json }) => json.status ?? json.error)).toEqual([
			expect.stringContaining('ENOSPC: no space left on device'),
			'completed',
		]);
		const unexpected = lines.filter((line) => line.includes('unexpected error'));
		expect(unexpected).toEqual([expect.stringContaining('suspendRounds.test')]);
		jest.restoreAllMocks();
	});
});

describe('A round of a suspended wait', () => {
	it('polls each unfinished job once, and no other', async () => {
		await service.admin.nextJobs([
			{ durationSeconds: 5 },
			{ durationSeconds: 100 },
			{ durationSeconds: 240 },
		]);

		const { engine, finished } = service.suspendAgent({}, { input: [{}, {}, {}] });

		await finished;
		const [short, middle, long] = await Promise.all(
			(await service.admin.jobs()).map(async ({ job_id: jobId }) =>
				rounds(await service.requests({ endpoint: 'getJob', jobId })),
			),
		);
		expect(short).toBe(0);
		expect(middle).toBe(1);
		expect(long).toBe(engine.waits.length);
	});

	it('shows the jobs in the node and in the inner execution', async () => {
		await service.admin.nextJob(LONG_JOB);
		const { engine, finished } = service.suspendAgent();
		await engine.suspended;
		const shown = engine.parent.data.resultData.runData['Browser Agent']?.[0]?.data?.main;

		await finished;

		const [job] = await service.admin.jobs();
		const { runData } = engine.subWorkflow?.data.resultData ?? { runData: {} };
		const name = `${job?.job_id}: Browser Agent is waiting`;
		const received = runData[name]?.[0]?.data?.main?.[0]?.[0]?.json;
		const url = expect.any(String) as string;
		const waiting = { job_id: job?.job_id, is_finished: false, live_url: url, history_url: url };
		expect(shown).toEqual([[{ json: waiting, pairedItem: { item: 0 } }]]);
		expect(received).toMatchObject({
			message: expect.stringContaining(`Waiting for job ${job?.job_id}.`),
			jobs: [waiting],
		});
		expect(received).not.toHaveProperty('error');
	});

	it('ends after three seconds without a free call, and comes again', async () => {
		const jobId = await service.givenJob(LONG_JOB);
		const { engine, finished } = service.suspend(waitRun([jobId]));
		await engine.suspended;
		const suspendedAt = service.clock.now();
		await service.fault('getJob', 429, { headers: { 'Retry-After': '400' } });
		await service.run({ resource: 'job', operation: 'get', parameters: { jobId } });

		const { json } = await finished;

		const suspendedSeconds = engine.waits.reduce((sum, seconds) => sum + seconds, 0);
		const inRoundsMs = service.clock.now() - suspendedAt - suspendedSeconds * 1000;
		expect(json).toMatchObject([{ status: 'completed' }]);
		expect(engine.waits).toHaveLength(2);
		expect(inRoundsMs).toBeLessThan(5_000);
	});

	it('forgets what nothing needs of the jobs of earlier rounds', async () => {
		const { memory } = testRuntime();
		const forget = jest.spyOn(memory, 'forgetExpired');
		await service.admin.nextJob(LONG_JOB);
		const { engine, finished } = service.suspendAgent();
		await engine.suspended;
		forget.mockClear();

		await finished;

		expect(forget).toHaveBeenCalledTimes(engine.waits.length);
	});

	it('polls its jobs however long it takes to read the credential', async () => {
		await service.admin.nextJob(LONG_JOB);
		const { engine, finished } = service.suspendAgent();
		await engine.suspended;
		slowCredentials(service.clock, 5_000);

		await finished;

		const requests = await service.requests({ endpoint: 'getJob' });
		expect(rounds(requests)).toBe(engine.waits.length);
		expect(engine.waits.length).toBeLessThan(4);
	});

	it('continues when n8n cannot say what became of the suspended execution', async () => {
		const log = captureLog();
		await service.admin.nextJob(LONG_JOB);

		const { items } = await service.suspendAgent({}, {}, { isDatabaseDown: true }).finished;

		expect(items[0]?.json.status).toBe('completed');
		expect(log.join('\n')).toContain('could not check execution 1');
	});
});

describe('A crash of n8n during a round', () => {
	it('returns an item that names the jobs, since n8n ends what was running', async () => {
		await service.admin.nextJobs([ENDLESS, ENDLESS]);

		const { items } = await service.suspendAgent({}, { input: [{}, {}] }, { crashesInRound: true })
			.finished;

		const jobIds = await service.jobIds();
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({
			message: `Waiting for job ${jobIds.join(', ')}. If you see this item in the output of your workflow, n8n was interrupted during a status check: get the result with Job: Wait.`,
			jobs: jobIds.map((job_id) => ({
				job_id,
				is_finished: false,
				live_url: expect.any(String),
				history_url: expect.any(String),
			})),
		});
		expect(items[0]?.json).not.toHaveProperty('error');
	});
});

describe('Max Wait (Minutes) of a suspended wait', () => {
	it.each([1.1, 2.2])('of %d ends it in time', async (maxWaitMinutes) => {
		await service.admin.nextJob(ENDLESS);
		const began = service.clock.now();

		const { error } = await service.suspendAgent({ maxWaitMinutes }).finished;

		const overrunMs = service.clock.now() - began - maxWaitMinutes * MINUTE_MS;
		expect(error?.message).toContain(`was still running after ${maxWaitMinutes} minutes`);
		expect(overrunMs).toBeLessThan(5_000);
	});

	it('pauses the job at once when other jobs are still waited for', async () => {
		await service.admin.nextJobs([ENDLESS, { durationSeconds: 900 }]);

		const { items } = await service.suspendAgent(
			{
				maxWaitMinutes: '={{ $json.minutes }}',
				returnInsteadOfFailing: ['timeout'],
				pauseJob: 'onEarlyEnd',
			},
			{ input: [{ minutes: 2 }, { minutes: 30 }] },
		).finished;

		const [late = ''] = await service.jobIds();
		const [polled] = await service.sent('getJob');
		const pauses = await service.sent('pauseJob');
		expect(pauses).toMatchObject([{ jobId: late }]);
		expect((pauses[0]?.sandboxMs ?? 0) - (polled?.sandboxMs ?? 0)).toBeLessThan(5 * MINUTE_MS);
		expect(items.map(({ json }) => json.status)).toEqual(['paused', 'completed']);
	});
});

describe('A suspended execution that is stopped or deleted', () => {
	it.each<['stop' | 'delete', INodeParameters, string, string]>([
		['stop', { pauseJob: 'never' }, 'running', 'Not paused, still using credits'],
		['stop', {}, 'paused', 'Paused'],
		['delete', {}, 'paused', 'Paused'],
	])(
		'ends the inner execution at its next round: %s with %j leaves the job %s',
		async (...given) => {
			const [action, options, expected, label] = given;
			await service.admin.nextJob(ENDLESS);
			const { engine, finished } = service.suspendAgent(options);
			await engine.suspended;

			engine[action]();

			await finished;
			const [job] = await service.admin.jobs();
			expect(engine.waits).toHaveLength(1);
			expect(engine.subWorkflow?.status).toBe('canceled');
			expect(engine.subWorkflow?.data.resultData.error?.message).toBe(
				`Execution canceled: the node stopped waiting for job ${job?.job_id}`,
			);
			expect(engine.subWorkflow?.data.resultData.error?.description).toBe(
				`Jobs started by this node: ${job?.job_id}. ${label}: ${job?.job_id}.`,
			);
			expect(job?.job_id).toBeDefined();
			await waitFor(async () => expect(await service.jobStatuses()).toEqual([expected]));
		},
	);

	it('also pauses a job whose own wait was over before', async () => {
		await service.admin.nextJobs([ENDLESS, ENDLESS]);
		const { engine, finished } = service.suspendAgent(
			{ maxWaitMinutes: '={{ $json.minutes }}' },
			{ input: [{ minutes: 0.5 }, { minutes: 30 }], settings: CONTINUE },
		);
		await engine.suspended;
		await service.clock.advance(6 * MINUTE_MS);

		engine.stop();

		await finished;
		expect(engine.subWorkflow?.status).toBe('canceled');
		await waitFor(async () => expect(await service.jobStatuses()).toEqual(['paused', 'paused']));
	});
});

describe('A suspended wait in which a job fails', () => {
	it('names all started jobs, and pauses only those that run', async () => {
		const ended: JobScript[] = Array<JobScript>(6).fill({ durationSeconds: 100 });
		await service.admin.nextJobs([
			{ durationSeconds: 300, outcome: 'failed', error: 'A wall' },
			...ended,
			ENDLESS,
		]);

		const { error } = await service.suspendAgent(
			{ pauseJob: 'onEarlyEnd' },
			{ input: Array(8).fill({}) },
		).finished;

		const jobIds = await service.jobIds();
		const pauses = await service.sent('pauseJob');
		expect(error).toMatchObject({
			message: `Job ${jobIds[0]} failed: A wall`,
			description: expect.stringContaining(`Jobs started by this node: ${jobIds.join(', ')}.`),
			context: { itemIndex: 0, jobIds: expect.arrayContaining(jobIds) },
		});
		expect(pauses.map(({ jobId }) => jobId)).toEqual([jobIds[7]]);
		expect(error?.description).not.toContain('Could not be paused');
		expect(error?.description).toMatch(
			/^[^/]*Jobs started by this node:[^/]* History: <a href="http\S+" \S+>http[^<]+<\/a>/,
		);
	});
});

describe('The stored state of a suspended wait', () => {
	const TOKEN = 'tok-3f9a2b7c8d1e';
	const ADDRESS = `https://grid.example/session/5e6f7a8b9c0d?token=${TOKEN}`;
	const WEB_SOCKET = `wss://grid.example/5e6f7a8b9c0d?token=${TOKEN}`;
	// n8n stores the parameters of a node as they are.
	const withBrowser = (address: string) => ({
		browserConfig: {
			cdpUrl: `={{ '${[...address].reverse().join('')}'.split('').reverse().join('') + '&item=' + $itemIndex }}`,
		},
	});
	const PARAMETERS = withBrowser(WEB_SOCKET);

	it.each([
		['with a path', ADDRESS, ADDRESS.replace('?', '/json/version/?')],
		[
			'without a path',
			`https://grid.example/?token=${TOKEN}`,
			`https://grid.example/json/version/?token=${TOKEN}`,
		],
	])("hides the address of the user's own browser from its rounds: %s", async (...given) => {
		const [, address, shown] = given;
		const log = captureLog();
		const failing = { ...LONG_JOB, omitFields: ['cdp_url'], outcome: 'failed' as const };
		// The second one fails several rounds later.
		await service.admin.nextJobs([
			{ ...failing, error: `Lost ${shown}&item=0` },
			{ ...failing, error: `Lost ${shown}&item=1`, durationSeconds: 900 },
		]);

		const { engine, finished } = service.suspendAgent(
			{},
			{ input: [{}, {}], settings: CONTINUE, parameters: withBrowser(address) },
		);

		await engine.suspended;
		const whileWaiting = engine.stored;
		const { items } = await finished;
		expect(items.map(({ json }) => json.error)).toEqual(
			Array(2).fill(expect.stringMatching(/ failed: Lost \[hidden\]$/)),
		);
		for (const text of [whileWaiting, engine.stored, JSON.stringify(items), log.join()]) {
			expect(text).not.toContain(TOKEN);
		}
	});

	it.each<[string, object]>([
		['the address that the user has entered', { error: `Lost ${WEB_SOCKET}` }],
		['the address in the same answer', { cdp_url: ADDRESS, error: `Lost ${ADDRESS}` }],
		['the address in an object', { cdp_url: ADDRESS, error: { lost: ADDRESS } }],
	])('has no secret when a job fails with %s', async (_label, answer) => {
		const log = captureLog();
		await service.admin.nextJobs([
			{ ...LONG_JOB, omitFields: ['cdp_url'] },
			{ ...LONG_JOB, omitFields: ['cdp_url'], durationSeconds: 400 },
		]);
		const { engine, finished } = service.suspendAgent(
			{ returnInsteadOfFailing: '={{ $json.cases }}' },
			{
				input: [{ cases: [] }, { cases: ['jobFailure'] }],
				settings: CONTINUE,
				parameters: PARAMETERS,
			},
		);
		await engine.suspended;
		const whileWaiting = engine.stored;
		const body = { status: 'failed', ...answer };
		await service.admin.fault({ endpoint: 'getJob', kind: 'body', body, times: 2 });

		const { items } = await finished;

		expect(items[0]?.json.error).toMatch(/^Job job_\w+ failed: .*\[hidden\]/);
		expect(JSON.stringify(items[1]?.json.job_error)).toContain('[hidden]');
		for (const text of [whileWaiting, engine.stored, JSON.stringify(items), log.join()]) {
			expect(text).not.toContain(TOKEN);
			expect(text).not.toContain('grid.example');
			expect(text).not.toContain('sandbox-pro-key');
		}
	});
});

describe('Retry On Fail with a suspended wait', () => {
	it('starts no second job for one that failed', async () => {
		await service.admin.nextJob({ ...LONG_JOB, outcome: 'failed', error: 'A wall' });

		const { engine, finished } = service.suspendAgent({}, { settings: RETRY_ON_FAIL });

		const { error } = await finished;
		expect(error?.message).toContain('failed: A wall');
		expect((await service.admin.counters()).starts).toBe(1);
		expect(engine.subWorkflows).toBe(1);
	});

	it('suspends even if the last job is known to have failed', async () => {
		await service.admin.nextJobs([{ ...LONG_JOB, durationSeconds: 300 }, ['failed']]);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { engine, finished } = service.suspendAgent(
			{ maxParallelJobs: 1 },
			{ settings: RETRY_AND_CONTINUE, input: [{}, {}] },
		);

		const { items } = await finished;
		expect(items.map(({ json }) => json.error ?? json.status)).toEqual([
			'completed',
			expect.stringContaining('failed'),
		]);
		expect(engine.subWorkflows).toBe(1);
	});

	it('suspends once when an input item contains the error of an earlier node', async () => {
		await service.admin.nextJob(LONG_JOB);

		const { engine, finished } = service.suspendAgent(
			{},
			{ settings: RETRY_ON_FAIL, input: [{ error: 'of an earlier node' }] },
		);

		const { items } = await finished;
		expect(items[0]?.json.status).toBe('completed');
		expect((await service.admin.counters()).starts).toBe(1);
		expect(engine.subWorkflows).toBe(1);
	});
});

describe('Where n8n cannot suspend the execution', () => {
	const HINT = "'Suspend While Waiting' is not available here";
	const REFUSED = 'n8n could not suspend the execution';

	it.each<[string, EngineLimits, string, Partial<SandboxRun>]>([
		['the execution is not stored', { withoutExecutionId: true }, HINT, {}],
		['the workflow is not saved', { withoutWorkflowId: true }, HINT, {}],
		['the execution is part of an evaluation', {}, HINT, { mode: 'evaluation' }],
		['its Wait node is excluded', { refusesSubWorkflows: new Error('Not allowed') }, REFUSED, {}],
	])('the node waits in the process and says so once: %s', async (...given) => {
		const [, limits, hint, more] = given;
		await service.admin.nextJobs([LONG_JOB, LONG_JOB]);

		const { engine, finished } = service.suspendAgent({}, { input: [{}, {}], ...more }, limits);

		const { items, task } = await finished;
		const hints = task?.hints?.filter(({ message }) => message.startsWith(hint));
		expect(items.map(({ json }) => json.output)).toEqual(['a long story', 'a long story']);
		expect(engine.subWorkflows).toBe(0);
		expect(hints).toHaveLength(1);
		expect((await service.admin.counters()).starts).toBe(2);
	});

	it('neither lap starts a job twice: jobs that ended in the first stay as they are', async () => {
		const SHORT_JOB = { durationSeconds: 5, output: 'a short story' };
		await service.admin.nextJobs([SHORT_JOB, LONG_JOB, { ...SHORT_JOB, outcome: 'failed' }]);
		const limits = { refusesSubWorkflows: new Error('Not allowed') };

		const { finished } = service.suspendAgent(
			{},
			{ input: [{}, {}, {}], settings: CONTINUE },
			limits,
		);

		const { items } = await finished;
		const [first, second, third] = items.map(({ json }) => json);
		expect(first?.output).toBe('a short story');
		expect(second?.output).toBe('a long story');
		expect(third?.details).toMatchObject({ status: 'failed' });
		expect((await service.admin.counters()).starts).toBe(3);
	});

	it('a tool of an agent gives the model the finished job', async () => {
		await service.admin.nextJob(LONG_JOB);

		const { answers } = await runTool({
			form: 'called by the agent',
			baseUrl: service.url,
			parameters: { options: { suspendWhileWaiting: true } },
			calls: [{ directive: 'Find the price' }],
		});

		expect(answers[0]).toContain('a long story');
	});
});
