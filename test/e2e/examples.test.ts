import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { example, exampleWorkflows } from '../../dev/n8n/examples';
import type { Execution } from '../../dev/n8n/N8nApi';
import { LOOPBACK } from '../../dev/n8n/ports';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';

const MANUAL = "When clicking 'Execute workflow'";

let environment: TestEnvironment;
let alerts: { url: string; texts: string[]; server: Server };
let filesFolder: string;

beforeAll(async () => {
	alerts = await startAlerts();
	environment = await startTestEnvironment({
		workflows: ({ filesFolder: folder }) => [
			...['quick-start', 'watch-live', 'rows-to-results', 'own-browser', 'saved-workflow'].map(
				(name) => example(name),
			),
			example('long-jobs', {}, { 'Wait 5 Minutes': { amount: 1, unit: 'seconds' } }),
			example('credit-guard', {}, { 'Send Alert': { url: alerts.url } }),
			example(
				'scheduled-files',
				{},
				{ 'Save the Files': { fileName: `=${folder}/{{ $json.job_id }}-{{ $json.filename }}` } },
			),
		],
		sandbox: { defaultJobSeconds: 2, limits: 'off' },
	});
	filesFolder = environment.filesFolder;
});

afterAll(async () => {
	await environment?.stop();
	alerts?.server.close();
});

beforeEach(async () => {
	await environment.sandbox.admin.reset();
});

async function run(workflowId: string, trigger = MANUAL): Promise<Execution> {
	const id = await environment.api.startWorkflow(workflowId, trigger);
	return await environment.api.waitForExecution(id);
}

function items(execution: Execution, node: string, output = 0): Array<Record<string, unknown>> {
	const last = execution.runs[node]?.at(-1)?.data?.main?.[output] ?? [];
	return last.map(({ json }) => json);
}

it('quick start: returns the result and its credits', async () => {
	const execution = await run('quick-start');

	expect(execution.status).toBe('success');
	expect(items(execution, 'Pick the Result')).toEqual([
		{
			result: expect.stringContaining('Example page'),
			credits_used: 4,
			credits_before: 10_000,
		},
	]);
});

it('watch it live: gives the live link at once, and then the result', async () => {
	const execution = await run('watch-live');

	const [started] = items(execution, 'Start the Job');
	expect(started).toMatchObject({ job_id: expect.any(String), live_url: expect.any(String) });
	expect(started).not.toHaveProperty('output');
	expect(items(execution, 'Wait for the Result')).toEqual([
		expect.objectContaining({ job_id: started?.job_id, status: 'completed', is_finished: true }),
	]);
});

it('rows to results: sends a failed job to the second branch', async () => {
	await environment.sandbox.admin.nextJob({
		match: 'Office chair',
		durationSeconds: 1,
		outcome: 'failed',
		error: 'The shop is closed',
	});

	const execution = await run('rows-to-results');

	expect(execution.status).toBe('success');
	expect(items(execution, 'Results').map(({ product }) => product)).toEqual([
		'Desk lamp',
		'Bookshelf',
	]);
	expect(items(execution, 'Needs Review')).toEqual([
		{ product: 'Office chair', reason: expect.stringContaining('The shop is closed') },
	]);
});

it('scheduled files: saves every file of the job', async () => {
	await environment.sandbox.admin.nextJob({
		durationSeconds: 1,
		files: [
			{ filename: 'report.csv', content: 'day,sales\n1,20\n' },
			{ filename: 'report.pdf', sizeBytes: 100_000 },
		],
	});

	const execution = await run('scheduled-files', 'Weekdays at 7');

	const [job] = await environment.sandbox.admin.jobs();
	expect(execution.status).toBe('success');
	expect(readdirSync(filesFolder).sort()).toEqual([
		`${job?.job_id}-report.csv`,
		`${job?.job_id}-report.pdf`,
	]);
	expect(readFileSync(path.join(filesFolder, `${job?.job_id}-report.csv`), 'utf8')).toBe(
		'day,sales\n1,20\n',
	);
});

it('own browser: sends its addresses to the service', async () => {
	const execution = await run('own-browser');

	const [job] = await environment.sandbox.admin.jobs();
	expect(execution.status).toBe('success');
	expect(job?.request).toMatchObject({
		cdp_url: 'wss://browser.example.com/devtools/browser/1a2b3c',
		live_url: 'https://browser.example.com/live/1a2b3c',
	});
});

it('saved workflow: sends the payload', async () => {
	const execution = await run('saved-workflow');

	const [job] = await environment.sandbox.admin.jobs();
	expect(items(execution, 'Run Saved Workflow')).toEqual([
		expect.objectContaining({ status: 'completed', workflow_id: 'wf_invoice_download' }),
	]);
	expect(job?.inputs).toEqual({ vendor: 'Example Energy', month: 'October' });
});

it('long jobs: polls until the job has finished', async () => {
	await environment.sandbox.admin.nextJob(['running', 'running', 'completed']);

	const execution = await run('long-jobs');

	expect(execution.status).toBe('success');
	expect(execution.runs['Get Job Status']).toHaveLength(3);
	expect(items(execution, 'Result')).toEqual([expect.objectContaining({ status: 'completed' })]);
	expect((await environment.sandbox.admin.counters()).starts).toBe(1);
});

describe('credit guard', () => {
	it('runs the agent while there are credits', async () => {
		const execution = await run('credit-guard', 'Every Hour');

		expect(items(execution, 'Run Agent')).toHaveLength(1);
		expect(alerts.texts).toEqual([]);
	});

	it('starts nothing and sends an alert when there are too few', async () => {
		await environment.sandbox.admin.setCredits('sandbox-pro-key', 20);

		const execution = await run('credit-guard', 'Every Hour');

		expect(execution.status).toBe('success');
		expect(alerts.texts).toEqual([expect.stringContaining('20 credits left')]);
		expect((await environment.sandbox.admin.counters()).starts).toBe(0);
	});
});

it('every example is used in a test', () => {
	const files = ['examples', 'trigger', 'aiAgent'].map((name) => `${__dirname}/${name}.test.ts`);
	const here = files.map((file) => readFileSync(file, 'utf8')).join('');

	const missing = exampleWorkflows().filter(({ id }) => !here.includes(`'${id}'`));

	expect(missing.map(({ id }) => id)).toEqual([]);
});

async function startAlerts(): Promise<typeof alerts> {
	const texts: string[] = [];
	const server = createServer((request, response) => {
		let text = '';
		request.on('data', (chunk: Buffer) => (text += chunk.toString()));
		request.on('end', () => {
			texts.push(text);
			response.end('ok');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
	return { url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`, texts, server };
}
