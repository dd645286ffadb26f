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
				'watch-it-live',
				'ask-a-person',
				'rows-to-results',
				'wait-for-many',
				'structured-output',
				'own-browser',
				'next-task-same-browser',
				'saved-workflow',
				'credit-guard',
				'enrich-a-google-sheet',
				'watch-a-price',
				'file-invoices',
				'fill-in-a-form-after-approval',
				'check-a-website-at-night',
			].map((name) => example(name)),
			example('long-jobs', {}, { 'Wait 5 Minutes': { amount: 1, unit: 'seconds' } }),
		],
		publish: ['ask-a-person'],
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
			result: expect.stringContaining('Welcome'),
			credits_used: 4,
			credits_before: 10_000,
		},
	]);
});

it('watch it live: gives the live link at once, and then the result', async () => {
	const execution = await run('watch-it-live');

	const [started] = items(execution, 'Start the Job');
	expect(started).toMatchObject({ job_id: expect.any(String), live_url: expect.any(String) });
	expect(started).not.toHaveProperty('output');
	expect(items(execution, 'Wait for the Result')).toEqual([
		expect.objectContaining({ job_id: started?.job_id, status: 'completed', is_finished: true }),
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

it('wait for many: returns the result of each job on the list', async () => {
	const execution = await run('wait-for-many');

	const started = items(execution, 'Start the Jobs').map(({ job_id }) => job_id);
	const results = items(execution, 'Wait for All');
	expect(execution.status).toBe('success');
	expect(started).toHaveLength(3);
	expect(results.map(({ job_id, status }) => [job_id, status])).toEqual(
		started.map((jobId) => [jobId, 'completed']),
	);
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
});

it('structured output: makes an item of each offer that the agent has found', async () => {
	const offers = [
		{ name: 'Bookshelf', price: 89 },
		{ name: 'Office chair', price: 120.5 },
	];
	const output = `Here they are:\n\`\`\`json\n${JSON.stringify({ title: 'Sale', items: offers })}\n\`\`\``;
	await environment.sandbox.admin.nextJob({ durationSeconds: 1, output });

	const execution = await run('structured-output');

	const [job] = await environment.sandbox.admin.jobs();
	expect(execution.status).toBe('success');
	expect(items(execution, 'One Item per Offer')).toEqual(offers);
	expect(job?.directive).toContain('"title": "Offers of the week"');
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

it('next task, same browser: works in the browser of the first task', async () => {
	const execution = await run('next-task-same-browser');

	const [first] = items(execution, 'Log In');
	const jobs = await environment.sandbox.admin.jobs();
	expect(execution.status).toBe('success');
	expect(first?.cdp_url).toEqual(expect.stringMatching(/^wss:/));
	expect(jobs[0]?.request).toMatchObject({ browser_config: { keep_browser_open: true } });
	expect(jobs[1]?.request).toMatchObject({ cdp_url: first?.cdp_url });
	expect(items(execution, 'Next Task')[0]).not.toHaveProperty('cdp_url');
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
		expect(items(execution, 'Send Alert')).toEqual([]);
	});

	it('starts nothing and sends an alert when there are too few', async () => {
		await environment.sandbox.admin.setCredits('sandbox-pro-key', 20);

		const execution = await run('credit-guard', 'Every Hour');

		expect(execution.status).toBe('success');
		expect(items(execution, 'Send Alert')).toHaveLength(1);
		expect((await environment.sandbox.admin.counters()).starts).toBe(0);
	});
});
