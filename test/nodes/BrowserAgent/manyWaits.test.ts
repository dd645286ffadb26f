import { toResult } from '../../support/runNode';
import { useSandbox } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox({ limits: 'off' });

// More than wait at the same time.
const JOBS = 15;

/** Waits for many running jobs, to be paused if the wait ends early. */
async function startWaits() {
	const jobIds: string[] = [];
	for (let job = 0; job < JOBS; job++) jobIds.push(await service.givenJob(['running']));
	const parameters = { options: { pauseWhenAbandoned: true } };
	const input = jobIds.map((job_id) => ({ job_id }));
	const execution = service.start({ resource: 'job', operation: 'wait', parameters, input });
	return { jobIds, execution };
}

async function statuses(jobIds: string[]): Promise<string[]> {
	const jobs = await Promise.all(jobIds.map(async (jobId) => await service.admin.job(jobId)));
	return jobs.map(({ status }) => status);
}

describe('Pause Job When the Wait Ends Early, with more jobs than Max Parallel Jobs,', () => {
	it('pauses all of them after a Stop, those that were not waited for yet, too', async () => {
		const { jobIds, execution } = await startWaits();
		await waitFor(async () => {
			expect(await service.requests({ endpoint: 'getJob' })).not.toEqual([]);
		});

		execution.stop();

		await toResult(execution.finished);
		await waitFor(async () => expect(new Set(await statuses(jobIds))).toEqual(new Set(['paused'])));
	});

	it('pauses and names all of them when one fails', async () => {
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });
		const { jobIds, execution } = await startWaits();

		const { error } = await toResult(execution.finished);

		const named = jobIds.filter((jobId) =>
			`${error?.message} ${error?.description}`.includes(jobId),
		);
		expect(named).toEqual(jobIds);
		await waitFor(async () => {
			const paused = (await statuses(jobIds)).filter((status) => status === 'paused');
			expect(paused.length).toBeGreaterThanOrEqual(JOBS - 1);
		});
	});
});
