/**
 * On Node.js 20 and 22, an `AbortSignal.any` with a listener is never freed, and with it all that
 * its run has held. `npm run test:signals` counts after 100 and 1,000 executions of each kind.
 */
import * as v8 from 'node:v8';

import { CONTINUE } from '../../support/runNode';
import { setClock, setServiceLimits } from '../../support/testRuntime';
import { useSandbox, waitRun } from '../../support/useSandbox';

const EXECUTIONS = Number(process.env.SIGNAL_EXECUTIONS ?? 10);
const TIMEOUT_MS = 180_000 + EXECUTIONS * 2_000;
const AT_A_TIME = 20;
// Those of n8n, of connections that are kept open, and of the test itself come and go.
const NOISE = 10;

const service = useSandbox({ limits: 'off' });

beforeEach(() => {
	const wide = { calls: 1e9, windowMs: 60_000 };
	setServiceLimits({ start: wide, status: wide, balance: wide });
	jest.spyOn(process, 'emitWarning').mockImplementation();
});

/** How many signals are in memory, once what nobody holds is freed. */
function liveSignals(): number {
	const { queryObjects } = v8 as unknown as {
		queryObjects(type: typeof AbortSignal, options: { format: 'count' }): number;
	};
	return queryObjects(AbortSignal, { format: 'count' });
}

/** How many more signals there are after all executions than after a tenth of them. */
async function growthOver(
	execution: () => Promise<unknown>,
	{ afterMs = 0 }: { afterMs?: number } = {},
): Promise<number> {
	const run = async (count: number) => {
		for (let left = count; left > 0; left -= AT_A_TIME) {
			await Promise.all(Array.from({ length: Math.min(left, AT_A_TIME) }, execution));
		}
		await service.clock.sleep(afterMs);
	};
	await run(EXECUTIONS / 10);
	const before = liveSignals();
	await run(EXECUTIONS - EXECUTIONS / 10);
	return liveSignals() - before;
}

const ENDED = { statuses: ['completed'], files: [{ filename: 'a.txt', content: 'A' }] };

/** Runs this operation for a job that has ended with a file, or for a task. */
async function run(resource: string, operation: string, options = {}): Promise<void> {
	const jobId = await service.givenJob(ENDED);
	const parameters = { jobId, directive: 'Go', workflowId: 'wf_daily_report', options };
	await service.run({ resource, operation, parameters, settings: CONTINUE });
}

async function waitUntilStopped(): Promise<void> {
	const jobId = await service.givenJob(['running']);
	const { stop, finished } = service.start(waitRun([jobId]));
	setTimeout(stop, 100);
	await finished.catch(() => {});
}

describe('No signal stays in memory after', () => {
	it(
		'executions of each operation, one that fails, and one that is stopped',
		async () => {
			// On real time: simulated time-outs are another kind of signals.
			setClock();
			await service.admin.nextJobs(Array<typeof ENDED>(3 * EXECUTIONS).fill(ENDED));
			const each = async () => {
				await run('agent', 'run');
				await run('agent', 'run', { downloadFiles: true });
				await run('workflow', 'run');
				await run('job', 'get');
				await run('job', 'wait');
				// The job has ended, so these two fail.
				await run('job', 'pause');
				await run('job', 'resume');
				await run('jobFile', 'getAll');
				await run('jobFile', 'download');
				await run('account', 'getCreditBalance');
				await run('service', 'getHealth');
				await waitUntilStopped();
			};

			expect(await growthOver(each)).toBeLessThan(NOISE);
		},
		TIMEOUT_MS,
	);

	it(
		'suspended waits',
		async () => {
			const execution = async () => {
				const jobId = await service.givenJob({ durationSeconds: 150 });
				await service.suspend(waitRun([jobId])).finished;
			};

			// The simulated time-outs of the last requests pass meanwhile.
			expect(await growthOver(execution, { afterMs: 10 * 60_000 })).toBeLessThan(NOISE);
		},
		TIMEOUT_MS,
	);
});
