import { captureLog } from '../../support/captureLog';
import { useSandbox } from '../../support/useSandbox';

const MINUTE_MS = 60_000;
const JOB_MINUTES = 2;
const SAID = 'Maximum concurrent sessions reached';

const service = useSandbox({ maxConcurrentJobs: 2, defaultJobSeconds: JOB_MINUTES * 60 });

const tasks = (count: number) => Array.from({ length: count }, (_, index) => `task ${index}`);
// Less than a batch takes.
const OPTIONS = { options: { maxWaitMinutes: 3 } };

describe('With a cap of two jobs at a time', () => {
	it('a batch of six runs two jobs at a time, for as long as it takes', async () => {
		const began = service.clock.now();

		const { json } = await service.runTasks(tasks(6), OPTIONS);

		expect(json.map(({ status }) => status)).toEqual(Array(6).fill('completed'));
		const minutes = (service.clock.now() - began) / MINUTE_MS;
		// A start comes up to 20 s after there is room for it.
		expect(minutes).toBeGreaterThanOrEqual(3 * JOB_MINUTES);
		expect(minutes).toBeLessThan(3 * JOB_MINUTES + 1.5);
	});

	it('a refused start is sent again after 20 s', async () => {
		await service.runTasks(tasks(3), OPTIONS);

		const sentAt = (await service.sent('startAgent')).map(({ sandboxMs }) => sandboxMs);
		const pauses = sentAt.slice(3).map((at, index) => at - (sentAt[index + 2] ?? 0));
		expect(pauses.length).toBeGreaterThan(4);
		expect(Math.min(...pauses)).toBeGreaterThanOrEqual(20_000);
		expect(Math.max(...pauses)).toBeLessThan(21_000);
	});

	it('the log and a hint quote what the service says', async () => {
		const log = captureLog();

		const { task } = await service.runTasks(tasks(3), OPTIONS);

		expect(log.join()).toContain(SAID);
		const hints = task?.hints?.map(({ message }) => message).filter((one) => one.includes(SAID));
		expect(hints).toHaveLength(1);
		expect(hints?.[0]).toContain("'Max Parallel Jobs'");
	});

	it('a batch that does not wait gives up an hour after the first refusal', async () => {
		const began = service.clock.now();
		await service.admin.nextJobs([['running'], ['running']]);

		const { error } = await service.runTasks(tasks(3), { waitUntilFinished: false });

		expect(error?.description).toContain(SAID);
		expect((service.clock.now() - began) / MINUTE_MS).toBeCloseTo(60, 0);
	});
});
