import { callWebhook } from '../e2e/support/callWebhook';
import { startJob } from '../e2e/support/startJob';
import { countStatuses, suspendedWait } from '../e2e/support/suspendedWaits';
import { waitFor } from '../e2e/support/waitFor';
import { aWorkflow, browserAgent, webhook } from '../e2e/support/workflowFile';
import { startCluster, type Cluster } from './support/startCluster';

const WAIT = { resource: 'job', operation: 'wait', jobId: '={{ $json.body.job_id }}' };
const TWO_POLLS_MS = 200_000;
// Here n8n detects a lost worker within 90 seconds, and the node checks the execution once a
// minute.
const NOTICED_MS = 200_000;

let cluster: Cluster;

beforeAll(async () => {
	const called = (id: string) => webhook(id, { responseMode: 'onReceived' });
	cluster = await startCluster(
		[
			aWorkflow(
				'suspended',
				called('suspended'),
				suspendedWait('Wait for Job', WAIT, { pauseJob: 'onEarlyEnd' }),
			),
			aWorkflow('occupying', called('occupying'), browserAgent('Wait for Job', WAIT)),
		],
		{ concurrency: 1 },
	);
}, 600_000);

afterAll(async () => {
	await cluster?.stop();
});

it('a job is paused when the worker that checks its suspended wait is killed', async () => {
	const { api, n8n, sandbox } = cluster;
	const first = await cluster.startWorker('the worker that suspends the wait');
	await sandbox.admin.nextJobs(Array(2).fill({ statuses: ['running'] }));
	const [jobId, otherId] = [await startJob(sandbox.url), await startJob(sandbox.url)];
	await callWebhook(n8n.url, 'suspended', { job_id: jobId });
	const isInner = async (status: string) =>
		(await countStatuses(api, 'suspended', 'sub-workflows'))[status] === 1;
	await waitFor(async () => await isInner('waiting'), TWO_POLLS_MS);
	// This occupies the first worker, so that the other one makes the checks.
	await callWebhook(n8n.url, 'occupying', { job_id: otherId });
	const victim = await cluster.startWorker('the worker to be killed');
	await sandbox.admin.fault({ endpoint: 'getJob', jobId, kind: 'hang' });

	await waitFor(async () => await isInner('running'), TWO_POLLS_MS);
	await victim.kill();

	const statusOf = async (id: string) =>
		(await sandbox.admin.jobs()).find(({ job_id }) => job_id === id)?.status;
	await waitFor(async () => (await statusOf(jobId)) === 'paused', NOTICED_MS);
	expect(first.output).toContain(`is pausing job ${jobId}, because execution `);
	expect(await statusOf(otherId)).toBe('running');
}, 900_000);
