import type { SuspendedState } from '../../../nodes/BrowserAgent/suspend/state';
import { secondsToNextRound, WAIT_IN_PROCESS_MS } from '../../../nodes/BrowserAgent/suspend/timing';
import { SimulatedProcess } from './SimulatedProcess';
import { SimulatedService } from './SimulatedService';

/** How suspended waits fared that all began at the same time. */
export interface SuspendReport {
	/** How many executions ran at a time after the first minute, on average. */
	running: number;
	/** Of the poll limit, while there were more waits than polls in a minute. */
	percentOfLimit: number;
	/** When ends were seen after they came, in s. */
	delays: number[];
	/** The longest time in which a job was not looked at, in s. */
	longestGap: number;
}

const POLLS_PER_MINUTE = 60;

/** Suspends a wait for each of these jobs, one execution each, in virtual time. */
export async function suspendWaits(
	durationsSeconds: number[],
	seed: number,
): Promise<SuspendReport> {
	const service = new SimulatedService(seed);
	const { clock } = service;
	const process = new SimulatedProcess(service);
	const polls: number[] = [];
	const endsSeen: number[] = [];
	let runningMs = 0;
	let longestGapMs = 0;

	const wait = async (endsAt: number): Promise<number> => {
		let lastPollAt = 0;
		const onPoll = () => {
			polls.push(clock.now());
			longestGapMs = Math.max(longestGapMs, clock.now() - lastPollAt);
			lastPollAt = clock.now();
		};
		const suspended = process.suspendable({ endsAt, onPoll });
		if (await suspended.inProcess(clock.timeout(WAIT_IN_PROCESS_MS))) return clock.now() - endsAt;
		const state = {
			suspendedAt: clock.now(),
			items: [{ outcome: { kind: 'suspended', wait: suspended.wait } }],
		} as unknown as SuspendedState;
		for (;;) {
			const limiter = process.account.polls;
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
	const counted = polls.filter((time) => time >= WAIT_IN_PROCESS_MS && time < until).length;
	const minutes = (until - WAIT_IN_PROCESS_MS) / 60_000;
	return {
		running: runningMs / (clock.now() - WAIT_IN_PROCESS_MS),
		percentOfLimit: (100 * counted) / minutes / POLLS_PER_MINUTE,
		delays,
		longestGap: longestGapMs / 1000,
	};
}
