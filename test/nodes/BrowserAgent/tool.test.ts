import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { waitFor } from '../../support/waitFor';
import { RETRY_ON_FAIL } from '../../support/runNode';
import {
	runTool,
	startTool,
	toToolResult,
	type ToolForm,
	type ToolRun,
} from '../../support/runTool';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const FORMS: ToolForm[] = ['called by the agent', 'run by the engine'];

const TASK = { directive: 'Find the price' };

function toolRun(
	form: ToolForm,
	{ parameters = {}, calls = [TASK], ...more }: Partial<ToolRun> = {},
): ToolRun {
	const fromModel: INodeParameters = {
		resource: 'agent',
		operation: 'run',
		directive: "={{ $fromAI('directive', 'What to do', 'string') }}",
	};
	return {
		form,
		baseUrl: service.url,
		parameters: { ...fromModel, ...parameters },
		calls,
		...more,
	};
}

describe.each(FORMS)('as a tool %s', (form) => {
	it('does what the model asks for and gives it the finished job', async () => {
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

	it('starts a job for each call', async () => {
		await runTool(
			toolRun(form, { calls: [{ directive: 'one' }, { directive: 'two' }, TASK, TASK] }),
		);

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive)).toEqual([
			'one',
			'two',
			'Find the price',
			'Find the price',
		]);
	});

	it('tells the model in the message itself what to do about bad input', async () => {
		const { answers } = await runTool(toolRun(form, { calls: [{ directive: ' ' }] }));

		expect(answers[0]).toContain(
			"'Directive' is empty. Fill in 'Directive'. If it is an expression, check its value for this item.",
		);
		expect(await service.requests()).toEqual([]);
	});

	it('tells the model why the service refused', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 402 });

		const { answers } = await runTool(toolRun(form));

		expect(answers[0]).toContain(
			'The account has too few credits to start a job. Nothing was started. Add credits',
		);
	});

	it('tells the model why a job failed, and its ID', async () => {
		await service.admin.nextJob({ statuses: ['failed'], error: 'A captcha' });

		const { answers } = await runTool(toolRun(form));

		const [job] = await service.admin.jobs();
		expect(answers[0]).toContain(`Job ${job?.job_id} failed: A captcha. Check what the agent did`);
		expect(answers[0]).not.toContain('Details:');
	});

	it('tells the model that a job may be running', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset' });

		const { answers } = await runTool(toolRun(form));

		expect(answers[0]).toMatch(
			/It is unclear whether a job was started; a job may be running\. .*A job may be running and using credits\./,
		);
	});

	it('does not start a second job when a call is tried again after an unclear start', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset', when: 'after' });

		const { answers } = await runTool(toolRun(form, { settings: RETRY_ON_FAIL }));

		expect(await service.requests({ endpoint: 'startAgent' })).toHaveLength(1);
		expect(answers[0]).toContain('Not started again');
	});

	it('does not start a second job when a call is tried again after a failed one', async () => {
		await service.admin.nextJob({ statuses: ['failed'], error: 'A captcha' });

		const { answers } = await runTool(toolRun(form, { settings: RETRY_ON_FAIL }));

		expect(await service.admin.jobs()).toHaveLength(1);
		expect(answers[0]).toContain('failed: A captcha');
	});

	it('picks the job up when a call is tried again after a fault', async () => {
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { answers } = await runTool(toolRun(form, { settings: RETRY_ON_FAIL }));

		expect(await service.admin.jobs()).toHaveLength(1);
		expect(answers[0]).toContain('"status":"completed"');
	});

	it('starts the job when a call is tried again after a refusal', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 402 });

		const { answers } = await runTool(toolRun(form, { settings: RETRY_ON_FAIL }));

		expect(await service.admin.jobs()).toHaveLength(1);
		expect(answers[0]).toContain('"status":"completed"');
	});

	it('pauses its job when the execution is stopped', async () => {
		await service.admin.nextJob(['running']);
		const parameters = { options: { pauseWhenAbandoned: true } };
		const execution = startTool(toolRun(form, { parameters }));
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

	it('reads the account for the model as well', async () => {
		const parameters = { resource: 'account', operation: 'getCreditBalance' };

		const { answers } = await runTool(toolRun(form, { parameters, calls: [{}] }));

		expect(answers[0]).toContain('"credit_balance":10000');
	});
});

describe('calls of a tool at the same time', () => {
	it('keep their jobs apart when one succeeds and another is tried again', async () => {
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
		expect(answers).toEqual([
			expect.stringContaining('"status":"completed"'),
			expect.stringContaining('"status":"completed"'),
		]);
	});
});
