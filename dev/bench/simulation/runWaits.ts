import type { SimulatedAccount } from '../../engine/SimulatedAccount';
import { simulateAccount } from './simulateAccount';
import { SimulatedProcess } from './SimulatedProcess';

/** A wait; times in s. */
export interface WaitPlan {
	/** When it begins, and the job with it. */
	beginsAt?: number;
	/** How long the job runs from then on. */
	durationSeconds: number;
	/** How long it is waited for; unset: until its end. */
	maxWaitSeconds?: number;
	/** Whether somebody else has started the job. */
	isForeign?: boolean;
}

/** How a wait went; times in s. */
export interface WaitReport {
	/** How long after the job's end or the deadline, whatever was first, the wait has ended. */
	lateSeconds: number;
	endedAt: number;
	polls: number;
}

/**
 * Waits for jobs of one account in one process, in simulated time. With `closedForMs`, the service
 * refuses the first call for this long.
 */
export async function runWaits(
	plans: WaitPlan[],
	seed: number,
	{ closedForMs }: { closedForMs?: number } = {},
): Promise<WaitReport[]> {
	const { account, random } = simulateAccount(seed);
	const process = new SimulatedProcess(account, random);
	if (closedForMs !== undefined) {
		const headers = { 'Retry-After': String(Math.ceil(closedForMs / 1000)) };
		account.fault({ endpoint: '*', kind: 'status', status: 429, headers });
	}
	const waits = await Promise.all(plans.map(async (plan) => await runWait(plan, process, account)));
	const polls = new Map<string, number>();
	for (const { jobId } of account.polls) polls.set(jobId, (polls.get(jobId) ?? 0) + 1);
	return waits.map(({ jobId, firstEnd, endedAt }) => ({
		lateSeconds: (endedAt - firstEnd) / 1000,
		endedAt: endedAt / 1000,
		polls: polls.get(jobId) ?? 0,
	}));
}

async function runWait(
	{ beginsAt = 0, durationSeconds, maxWaitSeconds = Infinity, isForeign = false }: WaitPlan,
	process: SimulatedProcess,
	account: SimulatedAccount,
) {
	const { clock } = account;
	await clock.sleep(beginsAt * 1000);
	const begun = clock.now();
	const { id: jobId } = account.givenJob(durationSeconds * 1000);
	const deadline = begun + maxWaitSeconds * 1000;
	try {
		await process.waitFor({ jobId, startedAt: isForeign ? undefined : begun, deadline });
	} catch (error) {
		// A wait that has timed out fails.
		if (clock.now() < deadline) throw error;
	}
	const firstEnd = Math.min(begun + durationSeconds * 1000, deadline);
	return { jobId, firstEnd, endedAt: clock.now() };
}
