import type { SuspendedState } from '../../../nodes/BrowserAgent/suspend/state';
import { secondsToNextRound, WAIT_IN_PROCESS_MS } from '../../../nodes/BrowserAgent/suspend/timing';
import { longestGapMs } from './longestGapMs';
import { simulateAccount } from './simulateAccount';
import { SimulatedProcess } from './SimulatedProcess';

/** How suspended waits fared that all began at the same time. */
export interface SuspendReport {
	/** How many executions ran at a time after the first minute, on average. */
	running: number;
	/** How much of the poll limit was used, while there were more waits than polls in a minute. */
	percentOfLimit: number;
	/** The time from each job's end to the poll that saw it, in s. */
	delays: number[];
	/** The longest time between two polls of a job, in s. */
	longestGap: number;
}

const POLLS_PER_MINUTE = 60;

/** Suspends a wait for each of these jobs, one execution each, in simulated time. */
export async function suspendWaits(
	durationsSeconds: number[],
	seed: number,
): Promise<SuspendReport> {
	const { account, random } = simulateAccount(seed);
	const { clock } = account;
	const process = new SimulatedProcess(account, random);
	const limiter = process.client.account.polls;
	const endsSeen: number[] = [];
	let runningMs = 0;

	const wait = async (durationMs: number): Promise<number> => {
		const { id: jobId } = account.givenJob(durationMs);
		const endsAt = clock.now() + durationMs;
		const suspended = process.suspendable({ jobId });
		if (await suspended.inProcess(clock.timeout(WAIT_IN_PROCESS_MS))) return clock.now() - endsAt;
		const state = {
			suspendedAt: clock.now(),
			items: [{ outcome: { kind: 'suspended', wait: suspended.wait } }],
		} as unknown as SuspendedState;
		for (;;) {
			await clock.sleep(secondsToNextRound(state, clock.now(), limiter) * 1000);
			const began = clock.now();
			const isOver = await suspended.round();
			runningMs += clock.now() - began;
			if (isOver) {
				endsSeen.push(clock.now());
				return clock.now() - endsAt;
			}
		}
	};
	const delays = await Promise.all(
		durationsSeconds.map(async (seconds) => (await wait(seconds * 1000)) / 1000),
	);

	endsSeen.sort((one, other) => one - other);
	const until = endsSeen.at(-POLLS_PER_MINUTE) ?? NaN;
	const counted = account.polls.filter(({ at }) => at >= WAIT_IN_PROCESS_MS && at < until).length;
	const minutes = (until - WAIT_IN_PROCESS_MS) / 60_000;
	return {
		running: runningMs / (clock.now() - WAIT_IN_PROCESS_MS),
		percentOfLimit: (100 * counted) / minutes / POLLS_PER_MINUTE,
		delays,
		longestGap: longestGapMs(account.polls) / 1000,
	};
}
