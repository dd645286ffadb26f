import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();
const { clock } = service;

const MINUTE_MS = 60_000;
// Two minutes, and a moment by which the processes of an account spread their calls.
const LATEST_MS = 125_000;
const AN_HOUR = { 'Retry-After': '3600' };

async function get(jobId: string) {
	return await service.run({ resource: 'job', operation: 'get', parameters: { jobId } });
}

async function getBalance() {
	return await service.run({ resource: 'account', operation: 'getCreditBalance' });
}

describe('A Retry-After of an hour', () => {
	it('of a status call closes the account for two minutes', async () => {
		const jobId = await service.givenJob(['running']);
		await service.fault('getJob', 429, { headers: AN_HOUR });
		await get(jobId);
		const refusedAt = clock.now();

		const { json } = await get(jobId);

		expect(json).toMatchObject([{ status: 'running' }]);
		expect(clock.now() - refusedAt).toBeGreaterThanOrEqual(2 * MINUTE_MS);
		expect(clock.now() - refusedAt).toBeLessThan(LATEST_MS);
	});

	it('of a read of the balance closes the account for two minutes', async () => {
		await service.fault('getCreditBalance', 429, { headers: AN_HOUR });
		await getBalance();
		const refusedAt = clock.now();

		const { json } = await getBalance();

		expect(json).toMatchObject([{ plan: 'pro' }]);
		expect(clock.now() - refusedAt).toBeLessThan(LATEST_MS);
	});

	it.each([429, 503])('of a poll delays the next one for two minutes (HTTP %i)', async (status) => {
		const jobId = await service.givenJob(['completed']);
		await service.fault('getJob', status, { headers: AN_HOUR });
		const began = clock.now();

		const { json } = await service.waitForJob(jobId);

		expect(json).toMatchObject([{ status: 'completed' }]);
		expect(clock.now() - began).toBeGreaterThanOrEqual(2 * MINUTE_MS);
		expect(clock.now() - began).toBeLessThan(LATEST_MS);
	});

	it('of a start delays the next one for an hour', async () => {
		await service.fault('startAgent', 429, { headers: AN_HOUR });
		const began = clock.now();

		await service.runAgent({ options: { maxWaitMinutes: 90 } });

		const [, start] = await service.sent('startAgent');
		expect((start?.sandboxMs ?? 0) - began).toBeGreaterThanOrEqual(60 * MINUTE_MS);
	});
});
