import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { example } from '../../dev/n8n/examples';
import type { Execution } from '../../dev/n8n/N8nApi';
import { Form, formPath } from './support/Form';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';

const MANUAL = "When clicking 'Execute workflow'";

let environment: TestEnvironment;

beforeAll(async () => {
	environment = await startTestEnvironment({
		workflows: () => [
			...[
				'quick-start',
				'ask-a-person',
				'rows-to-results',
				'next-task-same-browser',
				'saved-workflow',
				'enrich-a-google-sheet',
				'watch-a-price',
				'file-invoices',
				'fill-in-a-form-after-approval',
				'check-a-website-at-night',
				'compare-models',
				'callback',
			].map((name) => example(name)),
		],
		publish: ['ask-a-person', 'callback'],
		sandbox: { defaultJobSeconds: 2, limits: 'off' },
	});
});

afterAll(async () => {
	await environment?.stop();
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
			headline: 'Welcome (simulated)',
			links: ['https://example.com/simulated'],
			credits_used: 4,
			credits_before: 10_000,
		},
	]);
});

it('ask a person: the form shows the live link, and then the result', async () => {
	const { admin } = environment.sandbox;
	await admin.nextJob({
		statuses: ['running', 'user_taken_over', 'paused', 'running', 'completed'],
		output: { balance: 12.5 },
	});
	const path = formPath('ask-a-person', 'Describe the Task');
	const form = await Form.start(environment.n8n.url, path, ['Log in', 'example.com']);

	const page = await form.page();
	const [job] = await admin.jobs();
	expect(job?.request).toMatchObject({ directive: 'Log in', initial_url: 'https://example.com' });
	expect(page).toMatch(new RegExp(`<a href="\\S+${job?.job_id}\\S*" target="_blank"`));

	await form.submit();
	const ending = await form.page();
	expect(ending).toContain('The job is completed');
	expect(ending).toMatch(/balance.+12\.5/);
});

it('rows to results: makes an item of each offer, and sends a failed job to the second branch', async () => {
	const lamps = [
		{ name: 'Desk lamp', price: 19.9 },
		{ name: 'Floor lamp', price: 120.5 },
	];
	const text = `Here they are:\n\`\`\`json\n${JSON.stringify({ offers: lamps })}\n\`\`\``;
	await environment.sandbox.admin.nextJobs([
		{ match: 'Example Lamps', durationSeconds: 1, output: text },
		{
			match: 'Example Chairs',
			durationSeconds: 1,
			outcome: 'failed',
			error: 'The shop is closed',
		},
		{ match: 'Example Shelves', durationSeconds: 1, output: { offers: [] } },
	]);

	const execution = await run('rows-to-results');

	const [job] = await environment.sandbox.admin.jobs();
	expect(execution.status).toBe('success');
	expect(job?.directive).toContain('"offers": [{ "name": "Desk lamp", "price": 19.9 }]');
	expect(items(execution, 'Offers')).toEqual(
		lamps.map((offer) => ({ shop: 'Example Lamps', ...offer })),
	);
	expect(items(execution, 'Needs Review')).toEqual([
		{
			shop: 'Example Chairs',
			reason: expect.stringContaining('The shop is closed'),
			recording: expect.stringMatching(/^http/),
		},
	]);
});

it('enrich a Google sheet: looks up each row, and marks the one that has failed', async () => {
	const output = { email: 'info@shoes.example.com', phone: '+1 555 0101' };
	await environment.sandbox.admin.nextJobs([
		{ match: 'Example Shoes', durationSeconds: 1, output },
		{ match: 'Example Books', durationSeconds: 1, outcome: 'failed', error: 'The site is down' },
	]);

	const execution = await run('enrich-a-google-sheet');

	const rows = items(execution, 'Look Up the Contact');
	expect(execution.status).toBe('success');
	expect(rows.map(({ output: contact, error }) => contact ?? error)).toEqual([
		output,
		expect.stringContaining('The site is down'),
		{ email: expect.any(String), phone: expect.any(String) },
	]);
});

it('watch a price: tells the team only when the price is lower than ever', async () => {
	const messages = [];
	for (const price of [49.9, 52, 44.5]) {
		const output = { product: 'Desk lamp', price };
		await environment.sandbox.admin.nextJob({ durationSeconds: 1, output });

		const execution = await run('watch-a-price', 'Every Day at 8');

		expect(execution.status).toBe('success');
		messages.push(items(execution, 'Lower Than Ever').length);
	}

	expect(messages).toEqual([1, 0, 1]);
});

it('file invoices: passes on every PDF of the second job when the first one fails', async () => {
	await environment.sandbox.admin.nextJobs([
		{ durationSeconds: 1, outcome: 'failed' },
		{
			durationSeconds: 1,
			files: ['may.pdf', 'june.pdf', 'terms.html'].map((filename) => ({ filename })),
		},
	]);

	const execution = await run('file-invoices', 'First of the Month');

	expect(execution.status).toBe('success');
	expect(items(execution, 'Get the Files').map(({ filename }) => filename)).toEqual([
		'may.pdf',
		'june.pdf',
	]);
	expect(items(execution, 'Save to Google Drive')).toHaveLength(1);
});

it('fill in a form after approval: registers the supplier that was entered', async () => {
	const output = { supplier_number: 'S-2002' };
	await environment.sandbox.admin.nextJob({ durationSeconds: 1, output });

	const execution = await run('fill-in-a-form-after-approval', 'Supplier Form');

	const [job] = await environment.sandbox.admin.jobs();
	expect(job?.directive).toContain('Company: Example Paper. Tax ID: EX-123456.');
	expect(items(execution, 'Registered')).toEqual([
		{ company: 'Example Paper', supplier_number: 'S-2002' },
	]);
});

describe('check a website at night', () => {
	it.each([
		['opens an issue when something is broken', true, 1],
		['opens no issue when everything works', false, 0],
	])('%s', async (_label, isBroken, issues) => {
		const output = { is_broken: isBroken, problem: 'The total is missing' };
		await environment.sandbox.admin.nextJob({ durationSeconds: 1, output });

		const execution = await run('check-a-website-at-night', 'Every Night at 2');

		expect(execution.status).toBe('success');
		expect(items(execution, 'Open an Issue')).toHaveLength(issues);
	});

	it('opens an issue when the site is down, so that the job fails', async () => {
		const failed = { durationSeconds: 1, outcome: 'failed', error: 'The site is down' } as const;
		await environment.sandbox.admin.nextJobs([failed, failed]);

		const execution = await run('check-a-website-at-night', 'Every Night at 2');

		expect(execution.status).toBe('success');
		expect(items(execution, 'Open an Issue')).toHaveLength(1);
	});
});

it('next task, same browser: works in the browser of the first task', async () => {
	const execution = await run('next-task-same-browser');

	const [first] = items(execution, 'Open the Order');
	const jobs = await environment.sandbox.admin.jobs();
	expect(execution.status).toBe('success');
	expect(first?.cdp_url).toEqual(expect.stringMatching(/^wss:/));
	expect(jobs[0]?.request).toMatchObject({
		browser_config: { keep_browser_open: true, use_user_browser_profile: true },
	});
	expect(jobs[1]?.request).toMatchObject({ cdp_url: first?.cdp_url });
	expect(items(execution, 'Track the Delivery')[0]).not.toHaveProperty('cdp_url');
});

it('saved workflow: sends the payload', async () => {
	const execution = await run('saved-workflow');

	const [job] = await environment.sandbox.admin.jobs();
	expect(items(execution, 'Run Saved Workflow')).toEqual([
		expect.objectContaining({ status: 'completed', workflow_id: 'wf_invoice_download' }),
	]);
	expect(job?.inputs).toEqual({ vendor: 'Example Energy', month: 'October' });
});

it('compare models: lists what each model has cost, needed and found', async () => {
	const lamps = [{ name: 'Lumen 2', price: 19.9 }];
	await environment.sandbox.admin.nextJobs([
		{ durationSeconds: 1, output: { lamps } },
		{ durationSeconds: 1, outcome: 'failed', error: 'The page asked for a login' },
		{ durationSeconds: 1, output: { lamps } },
	]);

	const execution = await run('compare-models');

	const found = {
		credits_used: expect.any(Number),
		duration_seconds: expect.any(Number),
		output: JSON.stringify({ lamps }),
	};
	expect(execution.status).toBe('success');
	expect(items(execution, 'Compare')).toEqual([
		{ model: 'vendorb/vendorb-3-flash-preview', ...found },
		expect.objectContaining({
			model: 'o3',
			output: expect.stringContaining('The page asked for a login'),
		}),
		{ model: 'vendora-sonnet-4-20250514', ...found },
	]);
});

it('callback: returns the ID at once, and sends the result when the job has finished', async () => {
	await environment.sandbox.admin.nextJob({ durationSeconds: 2, output: { total: 12.5 } });
	const receiver = await startReceiver();

	const response = await fetch(`${environment.n8n.url}/webhook/browser-agent-task`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({
			task: 'Find the total',
			page: 'https://example.com',
			callback_url: receiver.url,
		}),
	});
	const started = (await response.json()) as Record<string, unknown>;
	const body = await receiver.received;
	await receiver.close();

	expect(response.status).toBe(202);
	expect(started).toEqual({ job_id: expect.any(String), live_url: expect.any(String) });
	expect(body).toMatchObject({
		job_id: started.job_id,
		status: 'completed',
		output: { total: 12.5 },
	});
});

/** A program that is called back once. */
async function startReceiver(): Promise<{
	url: string;
	received: Promise<unknown>;
	close: () => Promise<void>;
}> {
	const server = createServer();
	const received = new Promise<unknown>((resolve, reject) => {
		server.once('request', (request, response) => {
			json(request).then(resolve, reject);
			response.end('{}');
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const close = async () => {
		server.close();
		await once(server, 'close');
	};
	return { url: `http://127.0.0.1:${port}/done`, received, close };
}
