import { http, setUpSandbox } from './setUpSandbox';

describe('Page of a job in the sandbox', () => {
	const sandbox = setUpSandbox();

	it('shows what came from outside as text', async () => {
		const jobId = await sandbox.startJob(
			{},
			{ directive: '<script src="https://x.test"></script>' },
		);

		const { live_url: url } = await sandbox.poll(jobId);
		const { data, headers } = await http.get(url);

		expect(data).toContain('&#60;script src=&#34;https://x.test&#34;&#62;');
		expect(headers['content-security-policy']).toContain("default-src 'none'");
	});

	it('has buttons that pause, take over and resume the job', async () => {
		const jobId = await sandbox.startJob();
		const { live_url: url } = await sandbox.poll(jobId);
		const statuses: string[] = [];
		for (const button of ['pause', 'takeOver', 'resume', 'takeOver', 'pause', 'resume']) {
			expect((await http.get(url)).data).toContain(`formaction="${button}"`);
			const { status, headers } = await http.post(new URL(button, url).href);
			expect([status, headers.location]).toEqual([303, 'live']);
			statuses.push((await sandbox.poll(jobId)).status);
			await sandbox.admin.advance(2);
		}
		await sandbox.admin.advance(8);

		const taken = 'user_taken_over';
		expect(statuses).toEqual(['paused', taken, 'running', taken, taken, 'running']);
		expect((await http.get(url)).data).toContain('4 of 4 steps done, 20 credits used');
	});
});
