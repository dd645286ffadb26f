import type { AxiosResponse } from 'axios';

import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import type { LimiterKind } from '../../../dev/sandbox/types';
import { Client, ENTERPRISE, PRO } from './client';

async function times(count: number, call: () => Promise<AxiosResponse>): Promise<AxiosResponse[]> {
	return await Promise.all(Array.from({ length: count }, call));
}

function refusals(answers: AxiosResponse[]): AxiosResponse[] {
	return answers.filter(({ status }) => status === 429);
}

describe('rate limits', () => {
	let sandbox: Sandbox;
	let client: Client;

	beforeAll(async () => {
		sandbox = await startSandbox({ validateResponses: true });
		client = new Client(sandbox, PRO);
	});
	afterAll(async () => await sandbox.close());

	/** Leaves the better part of a window, so that no test runs into the next one. */
	async function beginWindow(limiter: LimiterKind): Promise<void> {
		await sandbox.admin.reset();
		await sandbox.admin.setLimits({ limiter });
		const intoTheWindow = (await sandbox.admin.now()) % 60_000;
		await sandbox.admin.advance((60_000 - intoTheWindow) / 1000 + 10);
	}

	const kinds: LimiterKind[] = ['sliding', 'fixed'];

	describe.each(kinds)('with %s windows', (limiter) => {
		beforeEach(async () => await beginWindow(limiter));

		it.each([
			['10 starts', 10, () => client.start()],
			['60 polls', 60, () => client.status('job_none')],
			['60 balances', 60, () => client.balance()],
		])('let %s through in a minute', async (_label, limit, call) => {
			const answers = await times(limit + 5, call);

			expect(refusals(answers)).toHaveLength(5);
			expect(await sandbox.admin.counters()).toMatchObject({ rateLimited: 5 });
		});

		it('answer 429 without a body, and say how many whole seconds to wait', async () => {
			await times(10, () => client.start());

			const { status, data, headers } = await client.start();

			expect(status).toBe(429);
			expect(data).toBe('');
			expect(headers['content-length']).toBe('0');
			expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
		});

		it('have room again after the time they say, and not before', async () => {
			await times(10, () => client.start());
			const seconds = Number((await client.start()).headers['retry-after']);

			await sandbox.admin.advance(seconds - 10);
			const early = await client.start();
			await sandbox.admin.advance(10);
			const late = await client.start();

			expect([early.status, late.status]).toEqual([429, 200]);
		});

		it('let starts of agents and of workflows share one limit', async () => {
			const agents = await times(6, () => client.start());
			const workflows = await times(6, () => client.runWorkflow('wf_daily_report'));

			expect(refusals(agents)).toHaveLength(0);
			expect(refusals(workflows)).toHaveLength(2);
		});

		it('are counted for each account', async () => {
			await times(10, () => client.start());

			const { status } = await new Client(sandbox, ENTERPRISE).start();

			expect(status).toBe(200);
		});

		it('do not hold for pausing, resuming, files and health', async () => {
			const answers = [
				...(await times(70, () => client.pause('job_none'))),
				...(await times(70, () => client.resume('job_none'))),
				...(await times(70, () => client.files('job_none'))),
				...(await times(70, () => client.health())),
			];

			expect(refusals(answers)).toHaveLength(0);
		});

		it('do not count calls with a wrong key', async () => {
			await times(20, () => new Client(sandbox, 'sandbox-unknown-key').start());

			expect((await client.start()).status).toBe(200);
		});

		it('start nothing when they refuse', async () => {
			await times(15, () => client.start());

			expect(await sandbox.admin.jobs()).toHaveLength(10);
		});
	});

	it('look back over the last minute when sliding', async () => {
		await beginWindow('sliding');
		await times(5, () => client.start());
		await sandbox.admin.advance(40);
		await times(5, () => client.start());
		await sandbox.admin.advance(25);

		// The first five are over a minute old, the second five are not.
		expect(refusals(await times(7, () => client.start()))).toHaveLength(2);
	});

	it('begin anew at the full minute when fixed', async () => {
		await beginWindow('fixed');
		await sandbox.admin.advance(40);
		await times(10, () => client.start());
		await sandbox.admin.advance(15);

		expect(refusals(await times(12, () => client.start()))).toHaveLength(2);
	});

	it('can be changed and lifted at run time', async () => {
		await sandbox.admin.setLimits({ limits: { startsPerWindow: 2, windowSeconds: 10 } });
		const few = refusals(await times(5, () => client.start()));
		await sandbox.admin.setLimits({ limits: 'off' });
		const many = refusals(await times(30, () => client.start()));

		expect([few.length, many.length]).toEqual([3, 0]);
		expect(few.every(({ headers }) => Number(headers['retry-after']) <= 10)).toBe(true);
	});

	it('can refuse everything', async () => {
		await sandbox.admin.setLimits({ limits: { statusPerWindow: 0 }, limiter: 'sliding' });

		expect((await client.status('job_none')).status).toBe(429);
	});

	it('tell the most calls of one account in any window, refused ones included', async () => {
		await beginWindow('sliding');
		await times(7, () => client.start());
		await sandbox.admin.advance(50);
		await times(6, () => client.start());
		await times(4, () => new Client(sandbox, ENTERPRISE).start());
		await sandbox.admin.advance(61);
		await times(2, () => client.start());

		const { maxInWindow } = await sandbox.admin.counters();

		expect(maxInWindow).toEqual({ starts: 13, polls: 0, balances: 0 });
	});
});
