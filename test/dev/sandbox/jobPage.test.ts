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

describe('Page of all jobs in the sandbox', () => {
	const sandbox = setUpSandbox();

	it('lists the newest first in a browser, each with its status and a link to its page', async () => {
		const url = `${sandbox.url}/_sandbox/jobs`;
		const jobIds = [await sandbox.startJob(), await sandbox.startJob()];

		const { data } = await http.get(url, { headers: { Accept: 'text/html,*/*;q=0.8' } });

		const shown = [...data.matchAll(/<a href="(\S+)">(\S+)<\/a> <span class="status">(\w+)/g)];
		expect(shown.map(([, , jobId, status]) => [jobId, status])).toEqual([
			[jobIds[1], 'running'],
			[jobIds[0], 'running'],
		]);
		const page = await http.get(new URL(shown[0]?.[1], url).href);
		expect(page.data).toContain(`<title>running: ${jobIds[1]}</title>`);
	});
});
