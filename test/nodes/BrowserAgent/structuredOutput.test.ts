import type { INode, INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { RETRY_ON_FAIL } from '../../support/runNode';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const EXAMPLE = { name: 'Desk lamp', price: 19.9 };
const OFFER = { name: 'Office chair', price: 120 };
const SCHEMA = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
const BY_EXAMPLE = { outputFormat: 'example', outputExample: JSON.stringify(EXAMPLE) };
const BY_SCHEMA = { outputFormat: 'schema', outputSchema: JSON.stringify(SCHEMA) };
const INVALID = { name: 'Office chair', price: '120' };
const MISMATCH = "'price' must be number, not string";

/** The next job completes with this output. */
async function nextOutput(output: unknown, script: JobScript = {}): Promise<void> {
	await service.admin.nextJob({ durationSeconds: 1, output, ...script });
}

describe("'Output Format'", () => {
	// What counts as JSON is tested with `findJson`.
	it.each<[string, INodeParameters, unknown, unknown]>([
		['JSON turns JSON into data', { outputFormat: 'json' }, '```json\n[1]\n```', [1]],
		['JSON leaves other text alone', { outputFormat: 'json' }, 'It costs 20', 'It costs 20'],
		['Any, the default, leaves JSON alone', {}, '{"price": 20}', '{"price": 20}'],
	])('%s', async (_label, parameters, output, expected) => {
		const jobId = await service.givenJob({ statuses: ['completed'], output });

		const { json } = await service.waitForJob(jobId, {}, { parameters });

		expect(json[0]?.output).toEqual(expected);
	});

	it.each<[string, INodeParameters, string]>([
		['a job that is waited for with the schema', BY_SCHEMA, JSON.stringify(SCHEMA)],
		['any other job with the example', { ...BY_EXAMPLE, waitUntilFinished: false }, '9.9}'],
	])('ends the directive of %s', async (_label, parameters, ending) => {
		await service.runAgent(parameters);

		const { directive } = await service.onlyJob();
		expect(directive).toMatch(/^Find the price\n\n--- Output format ---\n.*JSON/);
		expect(directive.endsWith(ending)).toBe(true);
	});

	it('Any sends the directive as it is', async () => {
		await service.runAgent({ ...BY_EXAMPLE, outputFormat: 'any' });

		expect((await service.onlyJob()).directive).toBe('Find the price');
	});
});

describe('An output that matches', () => {
	// Where the data of an output is found is tested with `findJson`.
	it('is returned as data', async () => {
		await nextOutput(`The offer is ${JSON.stringify(OFFER)}. Good luck!`);

		const { json } = await service.runAgent(BY_EXAMPLE);

		expect(json[0]).toMatchObject({ status: 'completed', output: OFFER, is_finished: true });
		expect(json[0]).not.toHaveProperty('output_errors');
	});

	it('is returned by Saved Workflow: Run, whose payload stays as it is', async () => {
		await nextOutput(JSON.stringify(OFFER));

		const { json } = await service.runWorkflow({ payload: 'March', ...BY_EXAMPLE });

		const [request] = await service.sent('runWorkflow');
		expect(json[0]).toMatchObject({ output: OFFER, workflow_id: 'wf_daily_report' });
		expect(request?.body).toEqual({ payload: 'March' });
	});
});

describe('An output that does not match', () => {
	it('fails with the first mismatch and names the others', async () => {
		await nextOutput({ price: '120', name: 5 });

		const { error, items } = await service.runAgent(BY_EXAMPLE);

		const { job_id } = await service.onlyJob();
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			message: `The output of job ${job_id} does not match 'Output Format': 'name' must be string, not number`,
			description: expect.stringContaining(MISMATCH),
			context: { itemIndex: 0, jobIds: [job_id] },
		});
	});

	it.each<[string, unknown, string]>([
		['text', 'I found no lamp.\n<b>Sorry</b>', '"I found no lamp. ‹b›Sorry‹/b›"'],
		['long text', 'word '.repeat(1000), `"${'word '.repeat(40).slice(0, 199)}…"`],
		['text with the key', 'Use sandbox-pro-key', '"Use [hidden]"'],
	])('is quoted from its beginning in the error: %s', async (_label, output, beginning) => {
		await nextOutput(output);

		const { error } = await service.runAgent(BY_EXAMPLE);

		expect(error?.description).toContain(`The output begins with ${beginning}.`);
		expect(error?.description).toMatch(/ History: <a href="http\S+" target="_blank">http\S+<\/a>$/);
	});

	it('is not quoted if it is empty', async () => {
		await nextOutput(null);

		const { error } = await service.runAgent(BY_EXAMPLE);

		expect(error?.message).toMatch(/does not match 'Output Format': the job has no output$/);
		expect(error?.description).toMatch(/^To get such outputs as items/);
	});

	it('is returned as it came when invalid outputs are returned', async () => {
		const output = JSON.stringify({ ...INVALID, name: null });
		await nextOutput(output);

		const { json } = await service.runAgent({
			...BY_EXAMPLE,
			options: { returnInsteadOfFailing: ['invalidOutput'] },
		});

		expect(json[0]).toMatchObject({
			status: 'completed',
			output,
			output_errors: ["'name' must be string, not null", MISMATCH],
		});
	});

	it('contains no markup and no key', async () => {
		await nextOutput({ name: 'x', price: 1, 'sandbox-pro-key': 1, '<img src=x>': 1 });
		const outputSchema = { properties: { name: {}, price: {} }, additionalProperties: false };

		const { json } = await service.runAgent({
			outputFormat: 'schema',
			outputSchema: JSON.stringify(outputSchema),
			options: { returnInsteadOfFailing: ['invalidOutput'] },
		});

		expect(json[0]?.output_errors).toEqual([
			"'[hidden]' is not allowed",
			"'‹img src=x›' is not allowed",
		]);
	});

	it('does not matter if the job has not completed', async () => {
		await nextOutput(INVALID, { outcome: 'failed', error: 'A captcha' });
		const options = { returnInsteadOfFailing: ['jobFailure'] };

		const { json } = await service.runAgent({ ...BY_EXAMPLE, options });

		expect(json[0]).toMatchObject({ status: 'failed', output: INVALID });
		expect(json[0]).not.toHaveProperty('output_errors');
	});
});

describe('Retry On Fail after an output that does not match', () => {
	const runTwo = async (settings: Partial<INode>) =>
		await service.runTasks(
			['Find a', 'Find b'],
			{ ...BY_EXAMPLE, options: { maxParallelJobs: 1 } },
			{ settings },
		);

	it('repeats the error and starts no other job', async () => {
		await nextOutput(INVALID, { match: 'Find a' });

		const { error } = await runTwo(RETRY_ON_FAIL);

		const { job_id } = await service.onlyJob();
		expect(error?.message).toBe(
			`The output of job ${job_id} does not match 'Output Format': ${MISMATCH}`,
		);
	});
});
