import type { Api } from './Api';
import { JOB_SECONDS } from './ApiDriver';

/** Tests what a start is checked for, and what the job shows from then on. */
export function testStarts(api: Api): void {
	const { driver } = api;
	const { unknownModel, residentialIp } = driver.differences;

	describe('A start', () => {
		it.each<[string, number, () => Promise<{ status: number }>]>([
			['a blank directive', 400, () => api.client.start({ directive: ' \n ' })],
			['no key', 401, () => api.clientWith().start({ directive: 5 })],
			['no directive', 422, () => api.client.start({})],
			['a directive of another type', 422, () => api.client.start({ directive: 5 })],
			['a list as its body', 422, () => api.client.start([])],
		])('with %s is answered with %d and starts no job', async (_label, expected, start) => {
			const { status } = await start();

			expect(status).toBe(expected);
			expect(await driver.countJobs()).toBe(0);
		});

		it('without credits is answered with 402 and starts no job', async () => {
			await driver.setCredits(0);

			const agent = await api.client.start();
			const workflow = await api.client.runWorkflow(driver.workflowId);

			expect([agent.status, workflow.status]).toEqual([402, 402]);
			expect(await driver.countJobs()).toBe(0);
		});

		it('names each innermost place that does not match the document', async () => {
			const browser_config = { width: 319, residential_ip: 'xx', idle_timeout_minutes: 'no' };

			const { status, data } = await api.client.start({ directive: 'Look', browser_config });

			expect(status).toBe(422);
			expect(data.detail.map(({ loc }: { loc: unknown }) => loc)).toEqual([
				['body', 'browser_config', 'width'],
				['body', 'browser_config', 'residential_ip'],
				['body', 'browser_config', 'idle_timeout_minutes'],
			]);
		});

		it('that is nested too deeply is answered with 400', async () => {
			const deep = '['.repeat(100_000) + ']'.repeat(100_000);
			const body = `{"directive": "Look", "browser_config": ${deep}}`;

			const { status, data } = await api.client.start(body);

			expect(status).toBe(400);
			expect(data).toEqual({ detail: 'The body is nested too deeply', status_code: 400 });
		});

		it('names the place at which its JSON ends', async () => {
			const { data } = await api.client.start('{"directive": ');

			expect(data.detail).toMatchObject([{ loc: ['body', expect.any(Number)] }]);
		});

		it.each<[string, 200 | 400, object]>([
			['a model that nobody knows', unknownModel, { action_selection_model: 'maker/none' }],
			['a residential IP', residentialIp, { browser_config: { residential_ip: 'us' } }],
			['no model', 200, { action_selection_model: null }],
			['no browser options', 200, { browser_config: null }],
		])('with %s is answered with %d', async (_label, expected, more) => {
			const { status } = await api.client.start({ directive: 'Look', ...more });

			expect(status).toBe(expected);
			expect(await driver.countJobs()).toBe(expected === 200 ? 1 : 0);
		});

		it('is answered with the links of its job', async () => {
			const { data } = await api.client.start();

			expect(data).toMatchObject({
				status: 'running',
				history_url: expect.stringContaining(`${driver.url}/`),
				live_url: expect.stringContaining(`${driver.url}/`),
				polling_url: `${driver.url}/v1/get_job_status/${data.job_id}`,
			});
			expect((await api.poll(data.job_id)).history_url).toBe(data.history_url);
		});

		it("in the client's own browser keeps the links of that browser", async () => {
			const own = { cdp_url: 'wss://own.example/?token=1', live_url: 'https://own.example/live' };

			const { data } = await api.client.start({ directive: 'Look', ...own });

			expect(data).toMatchObject(own);
		});

		it('of a workflow names it and the job, which is polled like any other', async () => {
			const { data } = await api.client.runWorkflow(driver.workflowId, { payload: null });

			expect(data).toMatchObject({ status: 'success', workflow_id: driver.workflowId });
			expect(await api.poll(data.job_id)).toMatchObject({ job_id: data.job_id });
		});
	});

	describe('A job', () => {
		it('shows neither output nor error before it has ended, and then its output', async () => {
			const output = { price: 7, notes: ['new', null] };
			const jobId = await api.startJob({ output }, { directive: 'Find the price' });

			await driver.advance(JOB_SECONDS - 1);
			const running = await api.poll(jobId);
			await driver.advance(1);
			const completed = await api.poll(jobId);

			expect(running).toMatchObject({ status: 'running', output: null, error: null });
			expect(completed).toMatchObject({
				status: 'completed',
				output,
				error: null,
				directive: 'Find the price',
			});
		});

		it('that fails shows its error', async () => {
			const jobId = await api.endedJob({ outcome: 'failed', error: 'Login failed' });

			expect(await api.poll(jobId)).toMatchObject({
				status: 'failed',
				output: null,
				error: 'Login failed',
			});
		});

		it('stands still while it is paused', async () => {
			const jobId = await api.startJob();

			const paused = await api.client.pause(jobId);
			await driver.advance(JOB_SECONDS);
			const { status } = await api.poll(jobId);
			const resumed = await api.client.resume(jobId);
			await driver.advance(JOB_SECONDS);

			expect([paused.data.status, status, resumed.data.status]).toEqual([
				'success',
				'paused',
				'success',
			]);
			expect(resumed.data.data).toEqual({ job_id: jobId, status: 'running' });
			expect(await api.poll(jobId)).toMatchObject({ status: 'completed' });
		});

		it('that is not resumed for 6 hours fails', async () => {
			const jobId = await api.startJob();
			await api.client.pause(jobId);

			await driver.advance(6 * 3600 - 1);
			const before = await api.poll(jobId);
			await driver.advance(1);

			expect(before.status).toBe('paused');
			expect(await api.poll(jobId)).toMatchObject({ status: 'failed', error: expect.any(String) });
		});

		it('that has ended can be neither paused nor resumed', async () => {
			const jobId = await api.endedJob();

			const responses = [await api.client.pause(jobId), await api.client.resume(jobId)];

			expect(responses.map(({ status }) => status)).toEqual([400, 400]);
		});
	});
}
