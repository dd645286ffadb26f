import type { INode } from 'n8n-workflow';

import type { JobScript } from '../../../../dev/sandbox/types';
import { RETRY_ON_FAIL } from '../../../support/runNode';
import { startSuspended } from '../../../support/runSuspended';
import { useSandbox } from '../../../support/useSandbox';

const service = useSandbox({ limits: 'off' });

const MESSAGE =
	"The account has 99 credits, fewer than 'Stop Below Credits' (100), so running jobs are paused and no more are started";
const ENDLESS: JobScript = { statuses: ['running'] };

/** Runs the agent once for each script, suspended while it waits. */
function start(scripts: JobScript[], settings: Partial<INode> = {}) {
	return startSuspended({
		baseUrl: service.url,
		resource: 'agent',
		operation: 'run',
		parameters: {
			directive: 'Find the price',
			options: { stopBelowCredits: 100, maxWaitMinutes: 30 },
		},
		input: scripts.map(() => ({})),
		settings,
	});
}

async function givenScripts(scripts: JobScript[]): Promise<JobScript[]> {
	await service.admin.nextJobs(scripts);
	return scripts;
}

describe('Stop Below Credits with Suspend While Waiting', () => {
	it('pauses the jobs at a status check, and names them', async () => {
		const { engine, finished } = start(await givenScripts([ENDLESS, ENDLESS]));
		await engine.suspended;
		await service.admin.setCredits('sandbox-pro-key', 99);

		const { error } = await finished;

		const jobIds = await service.jobIds();
		expect(await service.jobStatuses()).toEqual(['paused', 'paused']);
		expect(engine.subWorkflows).toBe(1);
		expect(error?.message).toBe(MESSAGE);
		expect(error?.description).toContain(`Paused: ${jobIds.join(', ')}.`);
	});

	it('returns what has finished with Continue On Fail', async () => {
		const scripts = await givenScripts([{ durationSeconds: 5 }, ENDLESS]);
		const { engine, finished } = start(scripts, {
			...RETRY_ON_FAIL,
			onError: 'continueRegularOutput',
		});
		await engine.suspended;
		await service.admin.setCredits('sandbox-pro-key', 99);

		const { items } = await finished;

		const [, second, ...others] = await service.admin.jobs();
		expect(others).toEqual([]);
		expect(items.map(({ json }) => json.error ?? json.status)).toEqual(['completed', MESSAGE]);
		expect(items[1]?.json.details).toMatchObject({ job_id: second?.job_id, status: 'paused' });
	});

	it('reads the balance every two minutes at most, and tolerates errors', async () => {
		await service.admin.fault({ endpoint: 'getCreditBalance', kind: 'reset', skip: 1 });

		const { finished } = start(await givenScripts([{ durationSeconds: 480 }]));

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
