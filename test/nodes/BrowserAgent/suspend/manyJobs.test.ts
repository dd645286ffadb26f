import { useSandbox, waitRun } from '../../../support/useSandbox';

const service = useSandbox();

const JOBS = 150;
const MINUTE_MS = 60_000;
// Four rounds, with a quarter of variation and their own length. Rounds planned as if each polled
// all jobs would leave nine minutes and more.
const LONGEST_GAP_MS = 7 * MINUTE_MS;

it('A suspended run with more jobs than the service allows polls in a minute polls each of them in turn', async () => {
	const jobIds = await service.givenManyJobs(JOBS, { statuses: ['running'] });
	const began = service.clock.now();
	const { engine, finished } = service.suspend(waitRun(jobIds, { maxWaitMinutes: 240 }));
	await engine.suspended;

	await service.clock.advance(20 * MINUTE_MS);

	const until = service.clock.now();
	const polls = await service.sent('getJob');
	engine.stop();
	await finished;
	const gaps = jobIds.map((jobId) => {
		const own = polls.filter((poll) => poll.jobId === jobId).map(({ sandboxMs }) => sandboxMs);
		return Math.max(...[...own, until].map((time, index) => time - (own[index - 1] ?? began)));
	});
	expect(Math.max(...gaps)).toBeLessThan(LONGEST_GAP_MS);
	expect(polls.filter(({ answered }) => answered === 429)).toEqual([]);
});
