import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import { captureLog } from '../../support/captureLog';
import { CONTINUE, toResult } from '../../support/runNode';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();
const { clock } = service;

const MINUTE_MS = 60_000;
const NEARLY_A_DAY = { headers: { 'Retry-After': '86000' } };
const RATE_LIMITED = 'Rate limit exceeded for this account';
const TASKS = ['first', 'second'];

function options(more: INodeParameters = {}): INodeParameters {
	return { options: { maxWaitMinutes: 5, ...more } };
}

function outcomesOf(json: IDataObject[]): unknown[] {
	return json.map(({ status, error }) => status ?? error);
}

describe('A start that the service refuses for longer than the node waits', () => {
	it("fails at once, in the words of the service's own Retry-After", async () => {
		await service.fault('startAgent', 429, NEARLY_A_DAY);
		const began = clock.now();

		const { error } = await service.runAgent(options());

		expect(error).toMatchObject({
			message: RATE_LIMITED,
			description: expect.stringContaining('Try again in 86000 s'),
		});
		expect(clock.now() - began).toBeLessThan(1_000);
	});

	it('fails at once while another job of the run is waited for', async () => {
		await service.admin.nextJob({ durationSeconds: 60 });
		await service.fault('startAgent', 429, { ...NEARLY_A_DAY, skip: 1 });
		const began = clock.now();

		const { json } = await service.runTasks(TASKS, options(), { settings: CONTINUE });

		expect(outcomesOf(json)).toEqual(['completed', RATE_LIMITED]);
		expect(clock.now() - began).toBeLessThan(90_000);
	});

	it('fails at once where it does not wait for its job, after an hour at most', async () => {
		await service.fault('startAgent', 429, { headers: { 'Retry-After': '3700' } });
		const began = clock.now();

		const { error } = await service.runAgent({ waitUntilFinished: false });

		expect(error?.description).toContain('Try again in 3700 s');
		expect(clock.now() - began).toBeLessThan(1_000);
	});

	it('closes the account for an hour at most', async () => {
		await service.fault('startAgent', 429, NEARLY_A_DAY);
		const began = clock.now();

		const { json } = await service.runAgent(options({ maxWaitMinutes: 90 }));

		expect(json).toMatchObject([{ status: 'completed' }]);
		const [, start] = await service.sent('startAgent');
		const waitedMs = (start?.sandboxMs ?? 0) - began;
		expect(waitedMs).toBeGreaterThanOrEqual(60 * MINUTE_MS);
		expect(waitedMs).toBeLessThan(61 * MINUTE_MS);
	});
});

describe('A start that waits when the account is closed for longer than that', () => {
	beforeEach(() => {
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1, windowMs: MINUTE_MS } });
		clock.hold();
	});

	/** Two executions, of which the second one waits while the first one's start is refused. */
	async function startTwo(parameters: INodeParameters) {
		await service.fault('startAgent', {
			kind: 'status',
			status: 429,
			...NEARLY_A_DAY,
			delaySeconds: 30,
		});
		const first = service.startAgent(options());
		await clock.advance(1_000);
		const second = service.startAgent(parameters);
		await clock.advance(40_000);
		return { first, second };
	}

	it('fails at once, in another execution of the process, too', async () => {
		const { second } = await startTwo(options());

		const { error } = await toResult(second.finished);

		expect(error).toMatchObject({
			message: RATE_LIMITED,
			description: expect.stringContaining('Try again in 86000 s'),
		});
		expect(await service.sent('startAgent')).toHaveLength(1);
	});

	it('goes on waiting with a longer Max Wait, and says so in the log once', async () => {
		const log = captureLog();

		const { second } = await startTwo(options({ maxWaitMinutes: 90 }));
		await service.until(async () => expect(await service.jobIds()).toHaveLength(1), 10 * MINUTE_MS);
		await clock.advance(MINUTE_MS);

		const { json } = await toResult(second.finished);
		expect(json).toMatchObject([{ status: 'completed' }]);
		expect(log.filter((line) => line.includes('is waiting to start'))).toHaveLength(1);
	});

	it('fails at once when it begins to wait later', async () => {
		await startTwo(options());

		const third = service.startAgent(options());
		await clock.advance(1_000);

		const { error } = await toResult(third.finished);
		expect(error?.message).toBe(RATE_LIMITED);
	});
});

describe('The time for which a start may find the account closed', () => {
	it('is not begun anew by later refusals', async () => {
		const twoMinutes = { headers: { 'Retry-After': '120' } };
		await service.fault('startAgent', 429, { ...twoMinutes, times: 'always' });
		const began = clock.now();

		const { error } = await service.runAgent(options());

		expect(error?.message).toBe(RATE_LIMITED);
		expect(clock.now() - began).toBeLessThan(5 * MINUTE_MS);
		expect(await service.sent('startAgent')).toHaveLength(3);
	});

	it('does not end while the limit is open, however long the start waits for its turn', async () => {
		// The limiter opens within a part of its window after the Retry-After, which is minutes here.
		jest.spyOn(Math, 'random').mockReturnValue(0);
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1, windowMs: 10 * MINUTE_MS } });
		await service.fault('startAgent', 429, { headers: { 'Retry-After': '10' } });

		const { json } = await service.runTasks(TASKS, options());

		expect(outcomesOf(json)).toEqual(['completed', 'completed']);
	});
});

describe('The log of a run', () => {
	it('has one line for a closing that several of its starts meet', async () => {
		const log = captureLog();
		await service.fault('startAgent', 429, { times: 5, headers: { 'Retry-After': '60' } });

		const { json } = await service.runTasks(['1', '2', '3', '4', '5', '6'], options());

		expect(outcomesOf(json)).toEqual(Array(6).fill('completed'));
		expect(log.filter((line) => line.includes('is waiting to start'))).toHaveLength(1);
	});
});
