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
