import type { INode, INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { RETRY_ON_FAIL } from '../../support/runNode';
import { runTool } from '../../support/runTool';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();

const EXAMPLE = { name: 'Desk lamp', price: 19.9 };
const OFFER = { name: 'Office chair', price: 120 };
const SCHEMA = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
const BY_EXAMPLE = { outputExample: JSON.stringify(EXAMPLE) };
const INVALID = { name: 'Office chair', price: '120' };
const MISMATCH = 'price: must be number, not string';
const CONTINUE: Partial<INode> = { onError: 'continueRegularOutput' };

/** The next job completes with this output. */
async function nextOutput(output: unknown, script: JobScript = {}): Promise<void> {
	await service.admin.nextJob({ durationSeconds: 1, output, ...script });
}

async function sentDirective(): Promise<unknown> {
	const [request] = await service.requests({ endpoint: 'startAgent' });
	return (request?.body as { directive?: unknown } | undefined)?.directive;
}

describe('The directive with an output schema', () => {
	it.each<[string, INodeParameters, string]>([
		['an example', BY_EXAMPLE, JSON.stringify(EXAMPLE)],
		['a schema', { outputSchema: JSON.stringify(SCHEMA) }, JSON.stringify(SCHEMA)],
	])('ends with %s', async (_label, options, ending) => {
		await nextOutput(OFFER);

		await service.runAgent({ options });

		const directive = await sentDirective();
		expect(directive).toMatch(/^Find the price\n\n--- Output format ---\n.*JSON/);
		expect(String(directive).endsWith(`\n${ending}`)).toBe(true);
	});

	it('ends with it when the node does not wait, too', async () => {
		await service.runAgent({ waitUntilFinished: false, options: BY_EXAMPLE });

		expect(await sentDirective()).toContain(JSON.stringify(EXAMPLE));
	});

	it('is sent as it is when the options are blank', async () => {
		await service.runAgent({ options: { outputExample: '', outputSchema: ' ' } });

		expect(await sentDirective()).toBe('Find the price');
	});
});

describe('An output that matches', () => {
	it.each<[string, unknown]>([
		['data', OFFER],
		['JSON text', JSON.stringify(OFFER)],
		['a code fence', `Here you are:\n\`\`\`json\n${JSON.stringify(OFFER)}\n\`\`\``],
		['an object within text', `The offer is ${JSON.stringify(OFFER)}. Good luck!`],
	])('is returned as data when it is %s', async (_label, output) => {
		await nextOutput(output);

		const { items } = await service.runAgent({ options: BY_EXAMPLE });

		expect(items[0]?.json).toMatchObject({ status: 'completed', output: OFFER, is_finished: true });
		expect(items[0]?.json).not.toHaveProperty('output_errors');
	});

	it('is returned by Job: Wait', async () => {
		const jobId = await service.givenJob({
			statuses: ['completed'],
			output: JSON.stringify(OFFER),
		});

		const { items } = await service.waitForJob(jobId, { outputSchema: JSON.stringify(SCHEMA) });

		expect(items[0]?.json.output).toEqual(OFFER);
	});

	it('is returned by Workflow: Run, whose payload stays as it is', async () => {
		await nextOutput(JSON.stringify(OFFER));

		const { items } = await service.runWorkflow({ payload: 'March', options: BY_EXAMPLE });

		const [request] = await service.requests({ endpoint: 'runWorkflow' });
		expect(items[0]?.json).toMatchObject({ output: OFFER, workflow_id: 'wf_daily_report' });
		expect(request?.body).toEqual({ payload: 'March' });
	});

	it("stands beside the service's response when Simplify is off", async () => {
		await nextOutput(JSON.stringify(OFFER));

		const { items } = await service.runAgent({ simplify: false, options: BY_EXAMPLE });

		expect(items[0]?.json).toEqual({
			job_id: expect.any(String),
			status: 'completed',
			output: OFFER,
			response: expect.objectContaining({ output: JSON.stringify(OFFER) }),
		});
	});

	it('is checked against the schema of its own item', async () => {
		await nextOutput({ a: 1 }, { match: 'Find a' });
		await nextOutput({ b: '2' }, { match: 'Find b' });

		const { items } = await service.runAgent(
			{
				directive: '=Find {{ $json.key }}',
				options: { outputExample: '={{ { [$json.key]: $json.value } }}' },
			},
			{
				input: [
					{ key: 'a', value: 5 },
					{ key: 'b', value: 'x' },
				],
			},
		);

		expect(items.map(({ json }) => json.output)).toEqual([{ a: 1 }, { b: '2' }]);
	});
});

describe('An output that does not match', () => {
	it('fails with the job and the first mismatch, and names the others', async () => {
		await nextOutput({ price: '120', name: 5 });

		const { error, items } = await service.runAgent({ options: BY_EXAMPLE });

		const [job] = await service.admin.jobs();
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			message: `The output of job ${job?.job_id} does not match: name: must be string, not number`,
			description: expect.stringContaining(MISMATCH),
			context: { itemIndex: 0, jobIds: [job?.job_id] },
		});
	});

	it('is returned as it came with On Invalid Output = Return, whatever Parse JSON Output says', async () => {
		const output = JSON.stringify({ ...INVALID, name: null });
		await nextOutput(output);

		const { items } = await service.runAgent({
			options: { ...BY_EXAMPLE, onInvalidOutput: 'return', parseJsonOutput: true },
		});

		expect(items[0]?.json).toMatchObject({
			status: 'completed',
			output,
			output_errors: ['name: must be string, not null', MISMATCH],
		});
	});

	it('has details of the job with Continue On Fail', async () => {
		await nextOutput(INVALID);

		const { items } = await service.runAgent({ options: BY_EXAMPLE }, { settings: CONTINUE });

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toEqual({
			error: `The output of job ${job?.job_id} does not match: ${MISMATCH}`,
			details: {
				job_id: job?.job_id,
				status: 'completed',
				history_url: expect.stringContaining('http'),
				live_url: expect.stringContaining('http'),
			},
		});
	});

	it('is text for the model of an AI Agent', async () => {
		await nextOutput(INVALID);

		const { answers } = await runTool({
			form: 'run by the engine',
			baseUrl: service.url,
			parameters: {
				resource: 'agent',
				operation: 'run',
				directive: "={{ $fromAI('directive', 'What to do', 'string') }}",
				options: BY_EXAMPLE,
			},
			calls: [{ directive: 'Find the price' }],
		});

		expect(answers[0]).toContain(MISMATCH);
	});

	it('contains no markup and no key', async () => {
		await nextOutput({ name: 'x', price: 1, 'sandbox-pro-key': 1, '<img src=x>': 1 });
		const outputSchema = { properties: { name: {}, price: {} }, additionalProperties: false };

		const { items } = await service.runAgent({
			options: { outputSchema: JSON.stringify(outputSchema), onInvalidOutput: 'return' },
		});

		expect(items[0]?.json.output_errors).toEqual([
			'[hidden]: is not allowed',
			'‹img src=x›: is not allowed',
		]);
	});

	it('does not matter if the job has not completed', async () => {
		await nextOutput(INVALID, { outcome: 'failed', error: 'A captcha' });

		const { items } = await service.runAgent({
			options: { ...BY_EXAMPLE, onUnsuccessful: 'return' },
		});

		expect(items[0]?.json).toMatchObject({ status: 'failed', output: INVALID });
		expect(items[0]?.json).not.toHaveProperty('output_errors');
	});

	it('is a mismatch if it has more than 1 MB', async () => {
		await nextOutput({ ...OFFER, description: 'x'.repeat(2_000_000) });

		const { error } = await service.runAgent({ options: BY_EXAMPLE });

		expect(error?.message).toMatch(/does not match: it is too large to be checked$/);
	});

	it('is a mismatch if there is no output at all', async () => {
		await nextOutput(null);

		const { error } = await service.runAgent({ options: BY_EXAMPLE });

		expect(error?.message).toMatch(/^The output of job \S+ does not match: there is no output$/);
	});
});

describe('Retry On Fail after an output that does not match', () => {
	const run = (settings: Partial<INode>): SandboxRun => ({
		resource: 'agent',
		operation: 'run',
		parameters: { directive: '={{ $json.task }}', options: { ...BY_EXAMPLE, maxParallelJobs: 1 } },
		input: [{ task: 'Find a' }, { task: 'Find b' }],
		settings,
	});

	it('starts nothing again, starts nothing more, and repeats the error', async () => {
		await nextOutput(INVALID, { match: 'Find a' });

		const { error } = await service.run(run(RETRY_ON_FAIL));

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive.slice(0, 6))).toEqual(['Find a']);
		expect(error?.message).toBe(`The output of job ${jobs[0]?.job_id} does not match: ${MISMATCH}`);
	});

	it('keeps the details of the job and the other results with Continue On Fail', async () => {
		await nextOutput(INVALID, { match: 'Find a' });
		await nextOutput(OFFER, { match: 'Find b' });

		const { items } = await service.run(run({ ...RETRY_ON_FAIL, ...CONTINUE }));

		expect(await service.admin.jobs()).toHaveLength(2);
		expect(items.map(({ json }) => json)).toMatchObject([
			{
				error: expect.stringContaining(MISMATCH),
				details: { status: 'completed', history_url: expect.any(String) },
			},
			{ output: OFFER },
		]);
	});
});

describe('An output schema that can not be used', () => {
	it.each<[string, INodeParameters, string]>([
		['is no JSON', { outputSchema: '{type: object}' }, "'Output JSON Schema' is not valid JSON"],
		[
			'refers to another address',
			{ outputSchema: '{"$ref": "https://example.com/schema.json"}' },
			"'Output JSON Schema' can't be used: '$ref' points to nothing within the schema: https://example.com/schema.json",
		],
		[
			'leads in a circle',
			{ outputSchema: '{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}}' },
			"'Output JSON Schema' can't be used: '$ref' leads in a circle: #/$defs/a",
		],
		[
			'is a bare number from an expression',
			{ outputExample: '={{ 5 }}' },
			"'Output Like This Example' is neither an object nor an array",
		],
		[
			'is given twice',
			{ ...BY_EXAMPLE, outputSchema: '{}' },
			"'Output Like This Example' and 'Output JSON Schema' are both set",
		],
		[
			'has 2 MB',
			{ outputSchema: '={{ { title: "x".repeat(2000000) } }}' },
			"'Output JSON Schema' is larger than 100 kB",
		],
	])('%s: the node fails before anything is sent', async (_label, options, message) => {
		const { error } = await service.runAgent({ options });

		expect(error).toMatchObject({ message, context: { itemIndex: 0 } });
		expect(await service.requests()).toEqual([]);
	});

	it.each<[string, string]>([
		['job', 'wait'],
		['workflow', 'run'],
	])('fails %s: %s before anything is sent', async (resource, operation) => {
		const { error } = await service.run({
			resource,
			operation,
			parameters: { jobId: 'job_1', workflowId: 'wf_1', options: { outputExample: '5' } },
		});

		expect(error?.message).toBe("'Output Like This Example' is neither an object nor an array");
		expect(await service.requests()).toEqual([]);
	});
});
