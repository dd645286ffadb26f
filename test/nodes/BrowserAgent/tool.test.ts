import { RETRY_ON_FAIL } from '../../support/runNode';
import { runTool, startTool, toToolResult, TOOL_FORMS, type ToolRun } from '../../support/runTool';
import { useSandbox } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();

const TASK = { directive: 'Find the price' };

const toolRun = (more: Partial<ToolRun> = {}): ToolRun => ({
	form: 'run by the engine',
	baseUrl: service.url,
	calls: [TASK],
	...more,
});

/** What the model reads. */
async function answersOf(more: Partial<ToolRun> = {}): Promise<string[]> {
	return (await runTool(toolRun(more))).answers;
}

describe.each(TOOL_FORMS)('A tool %s', (form) => {
	it('starts the job that the model asks for and answers with the finished one', async () => {
		await service.admin.nextJob({ statuses: ['running', 'completed'], output: 'It costs 20' });

		const [answer = ''] = await answersOf({ form });

		const { job_id, directive } = await service.onlyJob();
		expect(directive).toBe('Find the price');
		expect(JSON.parse(answer)).toMatchObject([
			{ job_id, status: 'completed', output: 'It costs 20', is_finished: true },
		]);
	});

	it('says in the message itself what to do about an invalid argument', async () => {
		const [answer] = await answersOf({ form, calls: [{ directive: ' ' }] });

		expect(answer).toContain(
			"'Directive' is empty. Fill in 'Directive'. If it is an expression, check its value for this item.",
		);
		expect(await service.requests()).toEqual([]);
	});

	it('sends no second start when the model repeats a call after an unclear one', async () => {
		await service.fault('startAgent', { kind: 'reset', when: 'after' });
		const calls = [TASK, TASK, { directive: 'another task' }];

		const [, answer] = await answersOf({
			form,
			calls: calls.map((call, index) => ({ ...call, toolCallId: `call_${index}` })),
		});

		const directives = (await service.admin.jobs()).map(({ directive }) => directive);
		expect(directives).toEqual(['Find the price', 'another task']);
		expect(answer).toContain('was not started again');
	});

	it('starts no second job when n8n retries a call after a failed one', async () => {
		await service.admin.nextJob({ statuses: ['failed'], error: 'A captcha' });

		const [answer] = await answersOf({ form, settings: RETRY_ON_FAIL });

		expect(await service.jobIds()).toHaveLength(1);
		expect(answer).toContain('failed: A captcha');
	});

	it('pauses its job when the execution is stopped', async () => {
		await service.admin.nextJob(['running']);
		const execution = startTool(toolRun({ form }));
		await waitFor(async () => expect((await service.onlyJob()).polls).toBeGreaterThan(0));

		execution.stop();

		const { status } = await toToolResult(execution.finished);
		expect(status).toBe('canceled');
		await waitFor(async () => expect(await service.jobStatuses()).toEqual(['paused']));
	});
});

// All that follows is the same in both forms.
describe('A tool', () => {
	it('starts a job for each call, also for equal ones', async () => {
		await answersOf({ calls: [{ directive: 'other' }, TASK, TASK] });

		const directives = (await service.admin.jobs()).map(({ directive }) => directive);
		expect(directives).toEqual(['other', 'Find the price', 'Find the price']);
	});

	it("returns no address of a browser with Simplify off, not even within the response's texts", async () => {
		const address = 'https://grid.example/session/5e6f7a8b9c0d?token=tok-3f9a2b7c8d1e';
		const texts = [`It is ${address}.`, { [address]: 'wss://grid.example/1' }];
		const body = { status: 'completed', cdp_url: address, browser: { cdp_url: address }, texts };
		await service.admin.fault({ endpoint: 'getJob', kind: 'body', body, times: 2 });

		const [answer = ''] = await answersOf({ parameters: { simplify: false } });

		expect(JSON.parse(answer)).toEqual([
			expect.objectContaining({
				response: {
					...{ status: 'completed', browser: {} },
					texts: ['It is [hidden].', { '[hidden]': '[hidden]' }],
				},
			}),
		]);
	});

	it('returns no address of a browser when it does not wait, with Simplify off', async () => {
		await service.admin.nextJob({ startBody: { cdp_url: 'https://grid.example/5e6f7a8b9c0d' } });
		const parameters = { simplify: false, waitUntilFinished: false };

		const [answer = ''] = await answersOf({ parameters });

		expect(answer).toContain((await service.onlyJob()).job_id);
		expect(answer).not.toMatch(/cdp_url|5e6f7a8b9c0d/);
	});

	it('continues with a job that was returned while it was running, until its end was returned', async () => {
		await service.admin.nextJobs([{ durationSeconds: 10 }, ['completed']]);
		const options = { maxWaitMinutes: 0.1, returnInsteadOfFailing: ['timeout'] };

		const answers = await answersOf({
			parameters: { options },
			calls: [TASK, TASK, TASK],
		});

		const [first, second] = await service.jobIds();
		expect(await service.jobIds()).toHaveLength(2);
		expect(answers.map((answer) => (JSON.parse(answer) as unknown[])[0])).toMatchObject([
			{ job_id: first, status: 'running', is_finished: false },
			{ job_id: first, status: 'completed', is_finished: true },
			{ job_id: second, status: 'completed' },
		]);
	});

	it('starts a new job after one that has failed', async () => {
		await service.admin.nextJob({ statuses: ['failed'], error: 'A captcha' });

		const answers = await answersOf({ calls: [TASK, TASK] });

		expect(answers[0]).toContain('failed: A captcha');
		expect(answers[1]).toContain('"status":"completed"');
	});

	it('continues with a job whose output was invalid and whose status was refused at the retry', async () => {
		await service.admin.nextJob({ statuses: ['completed'], output: 'None' });
		await service.refusePolls({ skip: 1 });
		const more: Partial<ToolRun> = {
			form: 'called by the agent',
			parameters: { outputFormat: 'example', outputExample: '{"price": 1}' },
			settings: { ...RETRY_ON_FAIL, maxTries: 2 },
			executionId: '7',
		};
		const [refused] = await answersOf(more);
		await service.clock.sleep(31_000);

		const [invalid] = await answersOf(more);
		const { job_id } = await service.onlyJob();
		expect(refused).toContain(`The status of job ${job_id} could not be checked anymore`);
		expect(invalid).toContain(`The output of job ${job_id} does not match`);
	});

	it('starts a job for each call that does not wait', async () => {
		await answersOf({ parameters: { waitUntilFinished: false }, calls: [TASK, TASK] });

		expect(await service.jobIds()).toHaveLength(2);
	});

	it('pauses the job before a retry, which is not certain in all versions of n8n', async () => {
		await service.admin.nextJob(['running']);

		await answersOf({
			parameters: { options: { pauseJob: 'onEarlyEnd', maxWaitMinutes: 0.1 } },
			settings: { ...RETRY_ON_FAIL, maxTries: 2 },
		});

		expect(await service.onlyJob()).toMatchObject({ pauses: 2, resumes: 1, status: 'paused' });
	});

	it.each([
		['in the same execution, restored after a human review', '7'],
		['without an execution, over MCP', null],
	])(
		'continues with the job of an equal call that has timed out, %s',
		async (_label, executionId) => {
			await service.admin.nextJob({ durationSeconds: 40 });
			const more = { executionId, parameters: { options: { maxWaitMinutes: 0.5 } } };
			await answersOf(more);

			const [answer] = await answersOf(more);

			const { job_id } = await service.onlyJob();
			expect(answer).toContain(`"job_id":"${job_id}"`);
			expect(answer).toContain('"status":"completed"');
		},
	);

	it('says that equal calls of its execution start no other job after an unclear start', async () => {
		await service.fault('startAgent', { kind: 'reset', when: 'after' });

		const [unclear] = await answersOf({});

		expect(unclear).toContain(
			'For a day, equal calls in this execution will not start another one.',
		);
	});

	it('fails equal calls for an hour after the unclear start, however often they come', async () => {
		await service.fault('startAgent', { kind: 'reset', when: 'after' });
		const [unclear] = await answersOf({ executionId: null });
		await service.clock.sleep(1_800_000);
		const [repeated] = await answersOf({ executionId: null });
		await service.clock.sleep(1_801_000);

		await answersOf({ executionId: null });

		expect(unclear).toContain('For an hour, equal calls will not start another one.');
		expect(repeated).toContain('was not started again');
		expect(repeated).toMatch(/call again in other words: equal calls fail until 20\d\d-/);
		expect(await service.sent('startAgent')).toHaveLength(2);
	});

	it('fails no longer because of failed calls with Retry On Fail', async () => {
		await service.fault('startAgent', { kind: 'reset', when: 'after' });
		await answersOf({ executionId: null, settings: RETRY_ON_FAIL });
		await service.clock.sleep(3_580_000);
		const [repeated] = await answersOf({ executionId: null, settings: RETRY_ON_FAIL });
		await service.clock.sleep(21_000);

		await answersOf({ executionId: null, settings: RETRY_ON_FAIL });

		expect(repeated).toContain('was not started again');
		expect(await service.sent('startAgent')).toHaveLength(2);
	});

	it('shares no job with another tool that differs in Simplify alone', async () => {
		await service.admin.nextJobs([['running'], ['completed']]);
		const options = { maxWaitMinutes: 0.1 };
		await answersOf({ executionId: null, parameters: { options } });

		await answersOf({ executionId: null, parameters: { options, simplify: false } });

		expect(await service.jobIds()).toHaveLength(2);
	});

	it('gives the answer that took more than a minute to an equal call without an execution', async () => {
		await service.admin.nextJob({ durationSeconds: 90, output: 'It costs 20' });
		await answersOf({ executionId: null });

		const [answer] = await answersOf({ executionId: null });

		expect(await service.jobIds()).toHaveLength(1);
		expect(answer).toContain('It costs 20');
	});
});

it('A tool starts a job of its own for an equal call on another account', async () => {
	await service.refusePolls();

	const [, answer] = await answersOf({
		apiKey: '={{ $json.key }}',
		calls: [
			{ ...TASK, key: 'sandbox-pro-key' },
			{ ...TASK, key: 'sandbox-enterprise-key' },
		],
	});

	const jobs = await service.admin.jobs();
	expect(jobs.map(({ key }) => key)).toEqual(['sandbox-pro-key', 'sandbox-enterprise-key']);
	expect(answer).toContain(`"job_id":"${jobs[1]?.job_id}"`);
});

// docs/ai-tool.md says so: n8n gives each call over MCP an execution of its own on a worker.
it('A tool starts a job of its own for an equal call of another execution', async () => {
	await service.admin.nextJobs([['running'], ['running']]);
	const parameters = { options: { maxWaitMinutes: 0.5 } };

	await answersOf({ executionId: '7', parameters });
	await answersOf({ executionId: '8', parameters });

	expect(await service.jobIds()).toHaveLength(2);
});

describe('Calls of a tool at the same time', () => {
	it('show no address of a browser that only the other of two equal ones has received', async () => {
		const address = 'https://grid.example/1?token=tok-3f9a2b7c8d1e';
		await service.admin.nextJob({
			startBody: { cdp_url: address },
			omitFields: ['cdp_url'],
			output: `The session was ${address}`,
		});

		const answers = await answersOf({
			form: 'called by the agent',
			calls: [TASK, TASK],
			areAtOnce: true,
			parameters: { simplify: false },
		});

		const { job_id } = await service.onlyJob();
		expect(answers).toHaveLength(2);
		for (const answer of answers) {
			expect(answer).toContain(job_id);
			expect(answer).not.toContain('grid.example');
		}
	});

	it('each get the status of their own job', async () => {
		const jobIds = [await service.givenJob(['running']), await service.givenJob(['completed'])];

		const answers = await answersOf({
			form: 'called by the agent',
			calls: jobIds.map((jobId) => ({ jobId })),
			areAtOnce: true,
			parameters: { resource: 'job', operation: 'get', jobId: "={{ $fromAI('jobId') }}" },
		});

		expect(answers.map((answer) => jobIds.filter((jobId) => answer.includes(jobId)))).toEqual(
			jobIds.map((jobId) => [jobId]),
		);
	});
});
