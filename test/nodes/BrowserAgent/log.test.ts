import { captureLog, metadataOf } from '../../support/captureLog';
import { NODE_NAME, RETRY_AND_CONTINUE, RETRY_ON_FAIL } from '../../support/runNode';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const EXECUTION = '12';
const ORIGIN = {
	executionId: EXECUTION,
	workflowId: 'workflow-1',
	workflowName: 'Test',
	nodeName: NODE_NAME,
};
const SUFFIX = "(execution 12, workflow workflow-1 'Test', node 'Browser Agent')";

const RUN = { executionId: EXECUTION };

describe("n8n's log", () => {
	it('names the execution, the workflow and the node of a job at its start and at its end', async () => {
		const log = captureLog();
		await service.admin.nextJob({ durationSeconds: 60 });

		await service.runAgent({}, RUN);

		const { job_id } = await service.onlyJob();
		const origin = JSON.stringify(ORIGIN).slice(0, -1);
		expect(log).toEqual([
			`Browser Agent started job ${job_id} ${SUFFIX} ${origin},"jobId":"${job_id}"}`,
			expect.stringMatching(
				new RegExp(
					`^Browser Agent: job ${job_id} finished with status completed after \\d+(\\.\\d)? s, using \\d+ credits \\(`,
				),
			),
		]);
		expect(metadataOf(log)[1]).toEqual({
			...ORIGIN,
			jobId: job_id,
			status: 'completed',
			durationSeconds: expect.any(Number),
			creditsUsed: expect.any(Number),
		});
	});

	it('names the job in the metadata of every line that names it in its text', async () => {
		const log = captureLog();
		await service.admin.nextJob({ durationSeconds: 86_400 });
		await service.refusePolls();
		await service.fault('resumeJob', 402);
		await service.fault('pauseJob', 402, { skip: 1 });

		// The first try is paused, the second can't resume the job, and the third one times out.
		await service.runAgent(
			{ options: { pauseJob: 'onEarlyEnd', maxWaitMinutes: 5 } },
			{ ...RUN, settings: RETRY_AND_CONTINUE },
		);

		const { job_id } = await service.onlyJob();
		for (const text of ['started', 'paused', 'picked up', 'could not resume', 'could not pause']) {
			expect(log.join()).toContain(`Browser Agent ${text} job ${job_id}`);
		}
		for (const metadata of metadataOf(log)) {
			expect(metadata).toEqual({ ...ORIGIN, jobId: job_id });
		}
	});

	it('names the suspended execution during its checks, not the inner one', async () => {
		const log = captureLog();
		await service.admin.nextJob({ durationSeconds: 600 });

		await service.suspendAgent({}).finished;

		const { job_id } = await service.onlyJob();
		expect(log.join()).toContain(`job ${job_id} finished with status completed`);
		for (const metadata of metadataOf(log)) {
			expect(metadata).toMatchObject({ executionId: '1', workflowId: 'workflow-1', jobId: job_id });
		}
	});

	it('has one line for the end of a job, however often it is seen', async () => {
		const log = captureLog();
		await service.admin.nextJob({ statuses: ['running', 'failed'], error: 'Login failed' });

		await service.runAgent({}, { ...RUN, settings: RETRY_ON_FAIL });

		expect(log.filter((line) => line.includes('finished with status failed'))).toHaveLength(1);
	});

	it('leaves out the duration and the credits of a job if they are not known', async () => {
		const log = captureLog();
		const jobId = await service.givenJob({
			omitFields: ['created_at', 'updated_at', 'credits_used'],
		});

		await service.waitForJob(jobId, {}, RUN);

		expect(log).toEqual([
			expect.stringContaining(`job ${jobId} finished with status completed ${SUFFIX}`),
		]);
		expect(metadataOf(log)).toEqual([{ ...ORIGIN, jobId, status: 'completed' }]);
	});
});
