import type { JobScript } from '../../../dev/sandbox/types';
import { setUpSandbox } from './setUpSandbox';

describe('Sandbox job', () => {
	const sandbox = setUpSandbox();

	/**
	 * Follows a timeline such as `7s running pause:200 1s paused` and returns it with the actual
	 * results: advances by `7s`, polls for each status, and pauses with the HTTP status 200.
	 */
	async function follow(timeline: string, jobId: string): Promise<string> {
		const actual: string[] = [];
		for (const step of timeline.split(' ')) {
			const [name = ''] = step.split(':');
			const seconds = Number(/^(\d+)s$/.exec(step)?.[1]);
			if (seconds >= 0) await sandbox.admin.advance(seconds);
			if (seconds >= 0) actual.push(step);
			else if (name === 'pause') actual.push(`pause:${(await sandbox.client.pause(jobId)).status}`);
			else if (name === 'resume')
				actual.push(`resume:${(await sandbox.client.resume(jobId)).status}`);
			else actual.push((await sandbox.poll(jobId)).status);
		}
		return actual.join(' ');
	}

	it.each<[string, JobScript, string]>([
		['completes after 8 s without a script', {}, 'running 7s running 1s completed'],
		['has the scripted outcome', { outcome: 'archived' }, '7s running 1s archived'],
		['stands still while paused', {}, '7s pause:200 60s paused resume:200 running 1s completed'],
		['fails after a pause of 6 hours', {}, 'pause:200 21599s paused 1s failed resume:400'],
		['can be paused only while running', {}, 'pause:200 pause:400 resume:200 8s pause:400'],
	])('%s', async (_title, script, timeline) => {
		const jobId = await sandbox.startJob(script);

		expect(await follow(timeline, jobId)).toBe(timeline);
	});

	const OWN_BROWSER = { cdp_url: 'wss://own.example/' };
	it.each<[string, object, string]>([
		['fails at its maximum duration', { max_duration_minutes: 1 }, '59s running 1s failed'],
		['fails after 30 minutes by default', {}, '1799s running 1s failed'],
	])('%s', async (_title, browser_config, timeline) => {
		const jobId = await sandbox.startJob({ durationSeconds: 7200 }, { browser_config });

		expect(await follow(timeline, jobId)).toBe(timeline);
	});

	it("has no maximum duration in the client's own browser", async () => {
		const browser_config = { max_duration_minutes: 1 };
		const script = { durationSeconds: 7200 };
		const jobId = await sandbox.startJob(script, { browser_config, ...OWN_BROWSER });

		expect(await follow('7199s running 1s completed', jobId)).toBe('7199s running 1s completed');
	});

	const queued = { status: 'queued', seconds: 9 };
	it.each<[string, JobScript['statuses'], string]>([
		['change with each poll up to the last', ['queued', 'running'], 'queued running 9999s running'],
		['last for their seconds', [queued, 'running'], 'queued 8s queued 1s running'],
		['wait during a pause', ['running', 'failed'], 'running pause:200 paused resume:200 failed'],
		['end with a resume of the last', ['paused'], 'paused resume:200 7s running 1s completed'],
	])('has scripted statuses, which %s', async (_title, statuses, timeline) => {
		const jobId = await sandbox.startJob({ statuses });

		expect(await follow(timeline, jobId)).toBe(timeline);
	});
});

describe('A script of the sandbox', () => {
	const sandbox = setUpSandbox();

	it('is kept for the start that it is for', async () => {
		await sandbox.admin.nextJob({ match: 'price', outcome: 'failed' });

		const other = (await sandbox.client.start({ directive: 'Look around' })).data.job_id;
		const meant = (await sandbox.client.start({ directive: 'Find the price' })).data.job_id;
		await sandbox.admin.advance(8);

		expect((await sandbox.poll(other)).status).toBe('completed');
		expect((await sandbox.poll(meant)).status).toBe('failed');
	});

	it('changes the fields of the responses', async () => {
		await sandbox.admin.nextJob({
			startBody: { status: 'queued' },
			omitFields: ['error'],
			nullFields: ['directive'],
		});

		const { data: started } = await sandbox.client.start();
		const polled = await sandbox.poll(started.job_id);

		expect(started).toMatchObject({ status: 'queued', polling_url: expect.any(String) });
		expect(polled).toMatchObject({ job_id: started.job_id, directive: null });
		expect(polled).not.toHaveProperty('error');
	});

	it('can list a file elsewhere, of which only the link is known', async () => {
		const downloadUrl = 'https://elsewhere.example/b';
		const jobId = await sandbox.startJob({ files: [{ filename: '../b', downloadUrl }] });
		await sandbox.admin.advance(8);

		const { data } = await sandbox.client.files(jobId);

		expect(data.files).toEqual([{ filename: '../b', download_url: downloadUrl, expires_in: 3600 }]);
	});
});

describe('A workflow of the sandbox', () => {
	const sandbox = setUpSandbox();
	const ID = 'wf_invoice_download';

	it.each<[string, string | null]>([
		['no payload', null],
		['a payload that lacks the input', '{"month": "May"}'],
		['a blank payload', ' '],
	])('is not run without its required input: %s', async (_label, payload) => {
		const { status, data } = await sandbox.client.runWorkflow(ID, { payload });

		const detail = "The payload has no value for the parameter 'vendor'";
		expect([status, data]).toEqual([400, { detail, status_code: 400 }]);
		expect(await sandbox.admin.jobs()).toEqual([]);
	});

	it.each<[string, string, string]>([
		['by name', '{"vendor": "Acme", "month": "May"}', 'Acme for May'],
		['as a text', 'Acme', 'Acme for the last month'],
	])('has its inputs filled in %s', async (_label, payload, expected) => {
		const { data } = await sandbox.client.runWorkflow(ID, { payload });

		const { directive } = await sandbox.poll(data.job_id);
		expect(directive).toBe(`Download the invoice of ${expected} as a PDF`);
	});
});

describe('A sandbox with a maximum of concurrent jobs', () => {
	const sandbox = setUpSandbox({ maxConcurrentJobs: 1 });

	it('refuses a further start without saying when, until a job has ended', async () => {
		const first = await sandbox.client.start();
		const second = await sandbox.client.start();
		await sandbox.admin.advance(8);
		const third = await sandbox.client.start();

		const statuses = [first, second, third].map(({ status }) => status);
		expect(statuses).toEqual([200, 429, 200]);
		expect(second.headers).not.toHaveProperty('retry-after');
	});
});
