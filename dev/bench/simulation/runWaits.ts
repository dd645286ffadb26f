import { SimulatedProcess } from './SimulatedProcess';
import { SimulatedService } from './SimulatedService';

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
	/** Whether the job was polled at the deadline, or its end was seen. */
	hadLastPoll: boolean;
}

/** Waits for jobs of one account in one process, in virtual time. */
export async function runWaits(
	plans: WaitPlan[],
	seed: number,
	{ closedForMs }: { closedForMs?: number } = {},
): Promise<WaitReport[]> {
	const service = new SimulatedService(seed);
	const process = new SimulatedProcess(service);
	if (closedForMs !== undefined) service.closeFor(closedForMs);
	return await Promise.all(plans.map(async (plan) => await runWait(plan, process, service)));
}

async function runWait(
	{ beginsAt = 0, durationSeconds, maxWaitSeconds = Infinity, isForeign = false }: WaitPlan,
	process: SimulatedProcess,
	{ clock }: SimulatedService,
): Promise<WaitReport> {
	await clock.sleep(beginsAt * 1000);
	const begun = clock.now();
	const endsAt = begun + durationSeconds * 1000;
	const deadline = begun + maxWaitSeconds * 1000;
	const firstEnd = Math.min(endsAt, deadline);
	let polls = 0;
	let lastPollAt = -Infinity;
	const onPoll = () => {
		polls++;
		lastPollAt = clock.now();
	};
	await process.waitFor({ startedAt: isForeign ? undefined : begun, endsAt, deadline, onPoll });
	return {
		lateSeconds: (clock.now() - firstEnd) / 1000,
		endedAt: clock.now() / 1000,
		polls,
		hadLastPoll: lastPollAt >= firstEnd,
	};
}
