import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { RETRY_ON_FAIL } from '../../support/runNode';
import {
	runTool,
	startTool,
	toToolResult,
	type ToolForm,
	type ToolRun,
} from '../../support/runTool';
import { useSandbox, type FaultCase } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();

const FORMS: ToolForm[] = ['called by the agent', 'run by the engine'];
const TASK = { directive: 'Find the price' };
const FROM_MODEL: INodeParameters = {
	resource: 'agent',
	operation: 'run',
	directive: "={{ $fromAI('directive', 'What to do', 'string') }}",
};

function toolRun(
	form: ToolForm,
	{ parameters = {}, calls = [TASK], ...more }: Partial<ToolRun> = {},
): ToolRun {
	return {
		form,
		baseUrl: service.url,
		parameters: { ...FROM_MODEL, ...parameters },
		calls,
		...more,
	};
}

describe.each(FORMS)('A tool %s', (form) => {
	it('starts the job that the model asks for and answers with the finished one', async () => {
		await service.admin.nextJob({ statuses: ['running', 'completed'], output: 'It costs 20' });

		const { answers } = await runTool(toolRun(form));

		const [job] = await service.admin.jobs();
		const [items] = answers.map((answer) => JSON.parse(answer) as IDataObject[]);
		expect(job?.directive).toBe('Find the price');
		expect(items).toEqual([
			expect.objectContaining({
				job_id: job?.job_id,
				status: 'completed',
				output: 'It costs 20',
				is_finished: true,
			}),
		]);
	});

	it('starts a job for each call, also for equal ones', async () => {
		await runTool(toolRun(form, { calls: [{ directive: 'other' }, TASK, TASK] }));

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive)).toEqual([
			'other',
			'Find the price',
			'Find the price',
		]);
	});

	it('reads the account', async () => {
		const parameters = { resource: 'account', operation: 'getCreditBalance' };

		const { answers } = await runTool(toolRun(form, { parameters, calls: [{}] }));

		expect(answers[0]).toContain('"credit_balance":10000');
	});

	it('says in the message itself what to do about an invalid argument', async () => {
		const { answers } = await runTool(toolRun(form, { calls: [{ directive: ' ' }] }));

		expect(answers[0]).toContain(
			"'Directive' is empty. Fill in 'Directive'. If it is an expression, check its value for this item.",
		);
		expect(await service.requests()).toEqual([]);
	});

	it('says in the message itself what to do about a rejected start', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 402 });

		const { answers } = await runTool(toolRun(form));

		expect(answers[0]).toContain(
			'The account has too few credits to start a job. Nothing was started. Add credits',
		);
	});

	it('names a failed job with its reason', async () => {
		await service.admin.nextJob({ statuses: ['failed'], error: 'A captcha' });

		const { answers } = await runTool(toolRun(form));

		const [job] = await service.admin.jobs();
		expect(answers[0]).toContain(`Job ${job?.job_id} failed: A captcha. Check what the agent did`);
		expect(answers[0]).not.toContain('Details:');
	});

	it('gives the links for a person when a user took over the job', async () => {
		await service.admin.nextJob(['user_taken_over']);

		const { answers } = await runTool(toolRun(form));

		expect(answers[0]).toMatch(
			/was taken over by a user\..* Its live view: http\S+ Its history: http/,
		);
	});

	it('says that a job may be running after an unclear start', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset' });

		const { answers } = await runTool(toolRun(form));

		expect(answers[0]).toMatch(
			/It is unclear whether a job was started; a job may be running\. .*A job may be running and using credits\./,
		);
	});

	it('sends no second start when the model repeats a call after an unclear one', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset', when: 'after' });

		const { answers } = await runTool(
			toolRun(form, {
				calls: [
					{ ...TASK, toolCallId: 'call_1' },
					{ ...TASK, toolCallId: 'call_2' },
					{ directive: 'another task', toolCallId: 'call_3' },
				],
			}),
		);

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive)).toEqual(['Find the price', 'another task']);
		expect(answers[1]).toContain('Not started again');
	});

	it('sends no second start when n8n retries a call after an unclear one', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset', when: 'after' });

		const { answers } = await runTool(toolRun(form, { settings: RETRY_ON_FAIL }));

		expect(await service.requests({ endpoint: 'startAgent' })).toHaveLength(1);
		expect(answers[0]).toContain('Not started again');
	});

	it('starts no second job when n8n retries a call after a failed one', async () => {
		await service.admin.nextJob({ statuses: ['failed'], error: 'A captcha' });

		const { answers } = await runTool(toolRun(form, { settings: RETRY_ON_FAIL }));

		expect(await service.admin.jobs()).toHaveLength(1);
		expect(answers[0]).toContain('failed: A captcha');
	});

	it.each<[string, FaultCase & { endpoint: 'getJob' | 'startAgent' }]>([
		['continues with the job', { endpoint: 'getJob', kind: 'status', status: 403 }],
		['starts the job', { endpoint: 'startAgent', kind: 'status', status: 402 }],
	])('%s when n8n retries a call after an error', async (_label, fault) => {
		await service.admin.fault(fault);

		const { answers } = await runTool(toolRun(form, { settings: RETRY_ON_FAIL }));

		expect(await service.admin.jobs()).toHaveLength(1);
		expect(answers[0]).toContain('"status":"completed"');
	});

	it('pauses its job when the execution is stopped', async () => {
		await service.admin.nextJob(['running']);
		const execution = startTool(toolRun(form));
		await waitFor(async () => {
			expect((await service.admin.counters()).polls).toBeGreaterThan(0);
		});

		execution.stop();

		const { status } = await toToolResult(execution.finished);
		expect(status).toBe('canceled');
		await waitFor(async () => {
			expect((await service.admin.jobs())[0]?.status).toBe('paused');
		});
	});
});

it('A tool starts a job of its own for an equal call on another account', async () => {
	await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

	const { answers } = await runTool(
		toolRun('run by the engine', {
			apiKey: '={{ $json.key }}',
			calls: [
				{ ...TASK, key: 'sandbox-pro-key' },
				{ ...TASK, key: 'sandbox-enterprise-key' },
			],
		}),
	);

	const [first, second] = await service.admin.jobs();
	expect(first?.key).toBe('sandbox-pro-key');
	expect(second?.key).toBe('sandbox-enterprise-key');
	expect(answers[1]).toContain(`"job_id":"${second?.job_id}"`);
});

describe('Calls of a tool at the same time', () => {
	it('start no second job when n8n retries one of two equal ones after the other has succeeded', async () => {
		await service.admin.nextJob({ durationSeconds: 20 });
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { answers } = await runTool(
			toolRun('called by the agent', {
				calls: [TASK, TASK],
				areAtOnce: true,
				settings: { ...RETRY_ON_FAIL, waitBetweenTries: 1_000 },
			}),
		);

		const [jobId, ...others] = await service.jobIds();
		expect(others).toEqual([]);
		expect(answers).toEqual(Array(2).fill(expect.stringContaining(`"job_id":"${jobId}"`)));
	});

	it('keep their jobs apart when one succeeds and another is retried', async () => {
		await service.admin.nextJobs([
			{ match: 'quick', durationSeconds: 2 },
			{ match: 'slow', durationSeconds: 60 },
		]);

		const { answers } = await runTool(
			toolRun('called by the agent', {
				calls: [{ directive: 'quick' }, { directive: 'slow' }],
				areAtOnce: true,
				parameters: { options: { maxWaitMinutes: 0.75 } },
				settings: RETRY_ON_FAIL,
			}),
		);

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive).sort()).toEqual(['quick', 'slow']);
		expect(answers).toEqual(Array(2).fill(expect.stringContaining('"status":"completed"')));
	});
});
