import {
	answer,
	countStatuses,
	measureAnswer,
	startWaits,
	waitForJob,
} from '../e2e/support/suspendedWaits';
import { startJob } from '../e2e/support/startJob';
import { waitFor } from '../e2e/support/waitFor';
import { startCluster, type Cluster } from './support/startCluster';

const SLOTS = 2;
const WORKERS = 2;
// Each occupies a slot for its first minute, so all are suspended after two minutes.
const WAITS = 2 * WORKERS * SLOTS;
// The test advances the sandbox's clock by this much.
const JOB_SECONDS = 1_800;
// Less than the minute for which a wait occupies its slot.
const ANSWER_TIMEOUT_MS = 30_000;
// A suspended wait polls about once a minute, and n8n reads its database for due waits once a
// minute.
const TWO_POLLS_MS = 200_000;

let cluster: Cluster;

beforeAll(async () => {
	cluster = await startCluster([waitForJob('wait-for-job'), answer('answer')], {
		concurrency: SLOTS,
	});
}, 600_000);

afterAll(async () => {
	await cluster?.stop();
});

it("suspended waits occupy no worker's slot and survive the crash of a worker", async () => {
	const { api, n8n, sandbox } = cluster;
	const victim = await cluster.startWorker('the worker to be killed');
	await cluster.startWorker('the surviving worker');
	await sandbox.admin.nextJobs(Array(WAITS).fill({ durationSeconds: JOB_SECONDS }));
	const jobIds: string[] = [];
	for (let number = 0; number < WAITS; number++) jobIds.push(await startJob(sandbox.url));

	await startWaits(n8n.url, jobIds);
	// Waits until no poll is running: n8n does not resume what is running during a crash.
	await waitFor(async () => {
		const own = await countStatuses(api, 'wait-for-job');
		const subWorkflows = await countStatuses(api, 'wait-for-job', 'sub-workflows');
		return own.waiting === WAITS && subWorkflows.waiting === WAITS;
	}, TWO_POLLS_MS);
	const answeredAfterMs = await measureAnswer(n8n.url);
	await victim.kill();
	await sandbox.admin.advance(JOB_SECONDS);

	await waitFor(
		async () => (await countStatuses(api, 'wait-for-job')).success === WAITS,
		2 * TWO_POLLS_MS,
	);
	const results = await api.getExecutions('wait-for-job');
	const items = results
		.filter(({ mode }) => mode !== 'integrated')
		.map(({ runs }) => runs['Wait for Job']?.[0]?.data?.main?.[0]?.[0]?.json);
	expect(answeredAfterMs).toBeLessThan(ANSWER_TIMEOUT_MS);
	expect(items.map((json) => json?.job_id).sort()).toEqual([...jobIds].sort());
	expect(items.map((json) => json?.status)).toEqual(Array(WAITS).fill('completed'));
	expect((await sandbox.admin.counters()).starts).toBe(WAITS);
}, 900_000);
