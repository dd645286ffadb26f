import {
	answer,
	answerTimeDuringWaits,
	countStatuses,
	waitForJob,
} from '../e2e/support/suspendedWaits';
import { startJob } from '../e2e/support/startJob';
import { waitFor } from '../e2e/support/waitFor';
import { startCluster, type Cluster } from './support/startCluster';

const WAITS = 30;
const JOB_SECONDS = 240;
const A_MINUTE_MS = 60_000;
// A suspended wait polls about once a minute, and n8n reads its database for due waits once a minute.
const TWO_POLLS_MS = 200_000;

let cluster: Cluster;

beforeAll(async () => {
	cluster = await startCluster([waitForJob('wait-for-job'), answer('answer')], { concurrency: 2 });
}, 600_000);

afterAll(async () => {
	await cluster?.stop();
});

it('thirty suspended waits leave the slots of the workers free, and survive the crash of a worker', async () => {
	const { api, n8n, sandbox } = cluster;
	const victim = await cluster.startWorker('the worker to be killed');
	await cluster.startWorker('the surviving worker');
	await sandbox.admin.nextJobs(Array(WAITS).fill({ durationSeconds: JOB_SECONDS }));
	const jobIds: string[] = [];
	for (let number = 0; number < WAITS; number++) jobIds.push(await startJob(sandbox.url));

	const answeredAfterMs = await answerTimeDuringWaits(n8n.url, jobIds);
	// Each wait spends its first minute in the process before it is suspended.
	await waitFor(
		async () => (await countStatuses(api, 'wait-for-job')).waiting === WAITS,
		TWO_POLLS_MS,
	);
	// Right after a poll: n8n does not resume what is running during a crash.
	await waitFor(async () => {
		const jobs = await sandbox.admin.jobs();
		const { waiting } = await countStatuses(api, 'wait-for-job', 'sub-workflows');
		return jobs.every(({ polls }) => polls >= 2) && waiting === WAITS;
	}, TWO_POLLS_MS);

	await victim.kill();

	await waitFor(
		async () => (await countStatuses(api, 'wait-for-job')).success === WAITS,
		JOB_SECONDS * 1000 + TWO_POLLS_MS,
	);
	const results = await api.getExecutions('wait-for-job');
	const found = results
		.filter(({ mode }) => mode !== 'integrated')
		.map(({ runs }) => runs['Wait for Job']?.[0]?.data?.main?.[0]?.[0]?.json);
	const counters = await sandbox.admin.counters();
	expect(answeredAfterMs).toBeLessThan(A_MINUTE_MS / 2);
	expect(found.map((json) => json?.job_id).sort()).toEqual([...jobIds].sort());
	expect(found.every((json) => json?.status === 'completed')).toBe(true);
	expect(counters.starts).toBe(WAITS);
}, 900_000);
