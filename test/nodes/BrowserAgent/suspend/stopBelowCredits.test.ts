import type { JobScript } from '../../../../dev/sandbox/types';
import { RETRY_AND_CONTINUE } from '../../../support/runNode';
import { useSandbox } from '../../../support/useSandbox';

const service = useSandbox({ limits: 'off' });

const MESSAGE =
	"The account has 99 credits, fewer than 'Stop Below Credits' (100), so running jobs are paused and no more are started";
const ENDLESS: JobScript = { statuses: ['running'] };

/** Agent: Run once for each script, suspended while it waits. */
async function start(scripts: JobScript[]) {
	await service.admin.nextJobs(scripts);
	const options = { stopBelowCredits: 100, maxWaitMinutes: 30 };
	const input = scripts.map(() => ({}));
	return service.suspendAgent(options, { input, settings: RETRY_AND_CONTINUE });
}

describe('Stop Below Credits with Suspend While Waiting', () => {
	it('pauses the jobs at a status check, names them, and returns what has finished', async () => {
		const { engine, finished } = await start([{ durationSeconds: 5 }, ENDLESS, ENDLESS]);
		await engine.suspended;
		await service.admin.setCredits('sandbox-pro-key', 99);

		const { items } = await finished;

		const [, second, third] = await service.jobIds();
		expect(await service.jobStatuses()).toEqual(['completed', 'paused', 'paused']);
		expect(engine.subWorkflows).toBe(1);
		expect(items.map(({ json }) => json)).toMatchObject([
			{ status: 'completed' },
			{ error: MESSAGE, details: { job_id: second, status: 'paused' } },
			{ error: MESSAGE, details: { job_id: third, status: 'paused' } },
		]);
	});

	it('reads the balance every two minutes at most, and tolerates errors', async () => {
		await service.admin.fault({ endpoint: 'getCreditBalance', kind: 'reset', skip: 1 });

		const { finished } = await start([{ durationSeconds: 480 }]);

		const { items } = await finished;
		const reads = await service.requests({ endpoint: 'getCreditBalance' });
		const times = reads.map(({ sandboxMs }) => sandboxMs);
		expect(items[0]?.json.status).toBe('completed');
		expect(times.length).toBeGreaterThanOrEqual(3);
		// The clocks of node and sandbox are not quite the same.
		for (const [index, time] of times.slice(1).entries()) {
			expect(time - (times[index] ?? 0)).toBeGreaterThan(115_000);
		}
	});
});
