import type { INode, INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { RETRY_ON_FAIL } from '../../support/runNode';
import { runTool } from '../../support/runTool';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();

const EXAMPLE = { name: 'Desk lamp', price: 19.9 };
const OFFER = { name: 'Office chair', price: 120 };
const SCHEMA = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
const BY_EXAMPLE = { outputFormat: 'example', outputExample: JSON.stringify(EXAMPLE) };
const BY_SCHEMA = { outputFormat: 'schema', outputSchema: JSON.stringify(SCHEMA) };
const INVALID = { name: 'Office chair', price: '120' };
const MISMATCH = "'price' must be number, not string";
const CONTINUE: Partial<INode> = { onError: 'continueRegularOutput' };

/** The next job completes with this output. */
async function nextOutput(output: unknown, script: JobScript = {}): Promise<void> {
	await service.admin.nextJob({ durationSeconds: 1, output, ...script });
}

async function sentDirective(): Promise<unknown> {
	const [request] = await service.requests({ endpoint: 'startAgent' });
	return (request?.body as { directive?: unknown } | undefined)?.directive;
}

describe("'Output Format'", () => {
	// What counts as JSON is tested with `parseJsonOutput`.
	it.each<[string, INodeParameters, unknown, unknown]>([
		['JSON turns JSON into data', { outputFormat: 'json' }, '```json\n[1]\n```', [1]],
		['JSON leaves other text alone', { outputFormat: 'json' }, 'It costs 20', 'It costs 20'],
		['Any, the default, leaves JSON alone', {}, '{"price": 20}', '{"price": 20}'],
	])('%s', async (_label, parameters, output, expected) => {
		const jobId = await service.givenJob({ statuses: ['completed'], output });

		const { items } = await service.waitForJob(jobId, {}, { parameters });

		expect(items[0]?.json.output).toEqual(expected);
	});
});

describe('The directive with an output schema', () => {
	it.each<[string, INodeParameters, string]>([
		['an example', BY_EXAMPLE, JSON.stringify(EXAMPLE)],
		['a schema', BY_SCHEMA, JSON.stringify(SCHEMA)],
	])('ends with %s', async (_label, format, ending) => {
		await nextOutput(OFFER);

		await service.runAgent(format);

		const directive = await sentDirective();
		expect(directive).toMatch(/^Find the price\n\n--- Output format ---\n.*JSON/);
		expect(String(directive).endsWith(`\n${ending}`)).toBe(true);
	});

	it('ends with it when the node does not wait, too', async () => {
		await service.runAgent({ waitUntilFinished: false, ...BY_EXAMPLE });

		expect(await sentDirective()).toContain(JSON.stringify(EXAMPLE));
	});

	it('is sent as it is when any output will do', async () => {
		await service.runAgent({ ...BY_EXAMPLE, outputFormat: 'any' });

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

		const { items } = await service.runAgent(BY_EXAMPLE);

		expect(items[0]?.json).toMatchObject({ status: 'completed', output: OFFER, is_finished: true });
		expect(items[0]?.json).not.toHaveProperty('output_errors');
	});

	it('is returned by Job: Wait', async () => {
		const jobId = await service.givenJob({
			statuses: ['completed'],
			output: JSON.stringify(OFFER),
		});

		const { items } = await service.waitForJob(jobId, {}, { parameters: BY_SCHEMA });

		expect(items[0]?.json.output).toEqual(OFFER);
	});

	it('is returned by Workflow: Run, whose payload stays as it is', async () => {
		await nextOutput(JSON.stringify(OFFER));

		const { items } = await service.runWorkflow({ payload: 'March', ...BY_EXAMPLE });

		const [request] = await service.requests({ endpoint: 'runWorkflow' });
		expect(items[0]?.json).toMatchObject({ output: OFFER, workflow_id: 'wf_daily_report' });
		expect(request?.body).toEqual({ payload: 'March' });
	});

	it("stands beside the service's response when Simplify is off", async () => {
		await nextOutput(JSON.stringify(OFFER));

		const { items } = await service.runAgent({ simplify: false, ...BY_EXAMPLE });

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
				outputFormat: 'example',
				outputExample: '={{ { [$json.key]: $json.value } }}',
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

		const { error, items } = await service.runAgent(BY_EXAMPLE);

		const [job] = await service.admin.jobs();
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			message: `The output of job ${job?.job_id} does not match 'Output Format': 'name' must be string, not number`,
			description: expect.stringContaining(MISMATCH),
			context: { itemIndex: 0, jobIds: [job?.job_id] },
		});
	});

	it('is returned as it came with On Invalid Output = Return', async () => {
		const output = JSON.stringify({ ...INVALID, name: null });
		await nextOutput(output);

		const { items } = await service.runAgent({
			...BY_EXAMPLE,
			options: { onInvalidOutput: 'return' },
		});

		expect(items[0]?.json).toMatchObject({
			status: 'completed',
			output,
			output_errors: ["'name' must be string, not null", MISMATCH],
		});
	});

	it('has details of the job with Continue On Fail', async () => {
		await nextOutput(INVALID);

		const { items } = await service.runAgent(BY_EXAMPLE, { settings: CONTINUE });

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toEqual({
			error: `The output of job ${job?.job_id} does not match 'Output Format': ${MISMATCH}`,
			details: {
				job_id: job?.job_id,
				status: 'completed',
				history_url: expect.stringContaining('http'),
				live_url: expect.stringContaining('http'),
				credits_used: expect.any(Number),
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
				...BY_EXAMPLE,
			},
			calls: [{ directive: 'Find the price' }],
		});

		expect(answers[0]).toContain(MISMATCH);
	});

	it('contains no markup and no key', async () => {
		await nextOutput({ name: 'x', price: 1, 'sandbox-pro-key': 1, '<img src=x>': 1 });
		const outputSchema = { properties: { name: {}, price: {} }, additionalProperties: false };

		const { items } = await service.runAgent({
			outputFormat: 'schema',
			outputSchema: JSON.stringify(outputSchema),
			options: { onInvalidOutput: 'return' },
		});

		expect(items[0]?.json.output_errors).toEqual([
			"'[hidden]' is not allowed",
			"'‹img src=x›' is not allowed",
		]);
	});

	it('does not matter if the job has not completed', async () => {
		await nextOutput(INVALID, { outcome: 'failed', error: 'A captcha' });

		const { items } = await service.runAgent({
			...BY_EXAMPLE,
			options: { onUnsuccessful: 'return' },
		});

		expect(items[0]?.json).toMatchObject({ status: 'failed', output: INVALID });
		expect(items[0]?.json).not.toHaveProperty('output_errors');
	});

	it('is a mismatch if it has more than 1 MB', async () => {
		await nextOutput({ ...OFFER, description: 'x'.repeat(2_000_000) });

		const { error } = await service.runAgent(BY_EXAMPLE);

		expect(error?.message).toMatch(
			/does not match 'Output Format': it is too large to be checked$/,
		);
	});

	it('is a mismatch if there is no output at all', async () => {
		await nextOutput(null);

		const { error } = await service.runAgent(BY_EXAMPLE);

		expect(error?.message).toMatch(
			/^The output of job \S+ does not match 'Output Format': there is no output$/,
		);
	});
});

describe('Retry On Fail after an output that does not match', () => {
	const run = (settings: Partial<INode>): SandboxRun => ({
		resource: 'agent',
		operation: 'run',
		parameters: { directive: '={{ $json.task }}', ...BY_EXAMPLE, options: { maxParallelJobs: 1 } },
		input: [{ task: 'Find a' }, { task: 'Find b' }],
		settings,
	});

	it('starts nothing again, starts nothing more, and repeats the error', async () => {
		await nextOutput(INVALID, { match: 'Find a' });

		const { error } = await service.run(run(RETRY_ON_FAIL));

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive.slice(0, 6))).toEqual(['Find a']);
		expect(error?.message).toBe(
			`The output of job ${jobs[0]?.job_id} does not match 'Output Format': ${MISMATCH}`,
		);
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
		[
			'is no JSON',
			{ outputFormat: 'schema', outputSchema: '{type: object}' },
			"'JSON Schema' is not valid JSON",
		],
		[
			'refers to another address',
			{ outputFormat: 'schema', outputSchema: '{"$ref": "https://example.com/schema.json"}' },
			"'JSON Schema' can't be used: '$ref' points to nothing within the schema (https://example.com/schema.json)",
		],
		[
			'leads in a circle',
			{
				outputFormat: 'schema',
				outputSchema: '{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}}',
			},
			"'JSON Schema' can't be used: '$ref' leads in a circle (#/$defs/a)",
		],
		[
			'is a bare number from an expression',
			{ outputFormat: 'example', outputExample: '={{ 5 }}' },
			"'Example' is neither an object nor an array",
		],
		[
			'has 2 MB',
			{ outputFormat: 'schema', outputSchema: '={{ { title: "x".repeat(2000000) } }}' },
			"'JSON Schema' is larger than 100 kB",
		],
	])('%s: the node fails before anything is sent', async (_label, format, message) => {
		const { error } = await service.runAgent(format);

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
			parameters: {
				jobId: 'job_1',
				workflowId: 'wf_1',
				outputFormat: 'example',
				outputExample: '5',
			},
		});

		expect(error?.message).toBe("'Example' is neither an object nor an array");
		expect(await service.requests()).toEqual([]);
	});
});
