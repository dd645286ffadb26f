import type { INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import { CONTINUE } from '../../support/runNode';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();

const LOW =
	"The account has 50 credits, fewer than 'Minimum Credits' (100), so the job was not started";
const UNKNOWN = 'The credit balance could not be read, so the job was not started';

async function run(options: INodeParameters = {}, more: Partial<SandboxRun> = {}) {
	return await service.runAgent({ options: { minimumCredits: 100, ...options } }, more);
}

async function runTasks(
	tasks: string[],
	options: INodeParameters = {},
	more: Partial<SandboxRun> = {},
) {
	return await service.runTasks(tasks, { options: { minimumCredits: 100, ...options } }, more);
}

async function givenBalance(body: object, more: Partial<FaultCase> = {}): Promise<void> {
	await service.fault('getCreditBalance', { kind: 'body', body, ...more });
}

describe('Minimum Credits', () => {
	it.each([
		['the account has exactly that many credits', { unlimited: false, credit_balance: 100 }],
		['the account is unlimited', { unlimited: true, credit_balance: null }],
	])('lets a job start when %s', async (_label, body) => {
		await givenBalance(body);

		const { json } = await run();

		expect(json[0]?.status).toBe('completed');
	});
});

describe('Minimum Credits in a batch', () => {
	const ONE_START_IN_TWO_MINUTES = {
		...SERVICE_LIMITS,
		start: { calls: 1, windowMs: 120_000 },
	};

	it('is checked directly before each start, however long that waits for its turn', async () => {
		setServiceLimits(ONE_START_IN_TWO_MINUTES);

		await runTasks(['a', 'b', 'c']);

		const sent = await service.requests();
		const calls = sent.filter(({ endpoint }) => endpoint !== 'getJob');
		expect(calls.map(({ endpoint }) => endpoint)).toEqual([
			'getCreditBalance',
			'startAgent',
			'getCreditBalance',
			'startAgent',
			'getCreditBalance',
			'startAgent',
		]);
	});

	it('starts no more jobs when the credits run low, and lets running jobs finish', async () => {
		setServiceLimits(ONE_START_IN_TWO_MINUTES);
		await service.admin.nextJob({ durationSeconds: 600 });
		await givenBalance({ credit_balance: 50 }, { skip: 1, times: 'always' });

		const { json } = await runTasks(['a', 'b', 'c'], {}, { settings: CONTINUE });

		expect(json.map(({ status, error }) => status ?? error)).toEqual(['completed', LOW, LOW]);
		expect(await service.onlyJob()).toMatchObject({ status: 'completed', pauses: 0 });
	});
});

describe('Minimum Credits with a balance that', () => {
	it.each<[string, FaultCase, string]>([
		['fails', { kind: 'status', status: 500 }, 'The service failed to process the request'],
		['says nothing', { kind: 'body', body: { plan: 'pro' } }, 'contains no credit balance'],
		['hangs', { kind: 'hang' }, 'the service did not respond within 10 s'],
	])('%s starts no job, and the error says so', async (_label, fault, reason) => {
		await service.fault('getCreditBalance', fault, { times: 'always' });
		const startedAt = service.clock.now();

		const { error } = await run();

		expect(error?.message).toContain(`${UNKNOWN}: `);
		expect(error?.message).toContain(reason);
		expect(service.clock.now() - startedAt).toBeLessThan(11_000);
		expect(await service.admin.jobs()).toEqual([]);
	});
});

describe('Minimum Credits is checked again', () => {
	it('by another attempt, whose error names the failed job', async () => {
		const failed: JobScript = { statuses: ['failed'], error: 'A captcha' };
		await service.admin.nextJob(failed);
		await givenBalance({ credit_balance: 50 }, { skip: 1 });

		const { error } = await run({ maxAttempts: 3 });

		const { job_id } = await service.onlyJob();
		expect(error?.message).toBe(LOW);
		expect(error?.description).toContain(`Earlier failed jobs of this item: ${job_id}.`);
	});

	it('by a start that is sent again after a 429', async () => {
		await service.fault('startAgent', 429, { headers: { 'retry-after': '60' } });
		await givenBalance({ credit_balance: 50 }, { skip: 1 });

		const { error } = await run();

		expect(error?.message).toBe(LOW);
		expect(await service.sent('startAgent')).toHaveLength(1);
	});
});
