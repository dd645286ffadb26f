import {
	secondsToNextRound,
	suspendAgain,
	suspendLater,
} from '../../../nodes/BrowserAgent/suspend/schedule';
import type { SimulatedClock } from '../../engine/SimulatedClock';
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
	/** How many calls the service refused with a 429. */
	refused: number;
}

const NEVER = new AbortController().signal;
const POLLS_PER_MINUTE = 60;
const FIRST_MINUTE_MS = 60_000;
// The node reads an execution that it has not seen for this long, and then stops counting its jobs
// if another worker has checked them.
const UNSEEN_MS = 100_000;

/** An n8n process that counts the suspended jobs whose last poll it did. */
class Worker extends SimulatedProcess {
	private readonly rounds = new Map<number, number>();

	get suspendedJobs(): number {
		return this.rounds.size;
	}

	/** Counts a job until its next round in this process, or until it sees one of another process. */
	async watch(job: number, clock: SimulatedClock, roundsOf: number[]): Promise<void> {
		const round = roundsOf[job] ?? 0;
		this.rounds.set(job, round);
		while (this.rounds.get(job) === round) {
			await clock.sleep(UNSEEN_MS);
			if (roundsOf[job] !== round && this.rounds.get(job) === round) this.forget(job);
		}
	}

	forget(job: number): void {
		this.rounds.delete(job);
	}
}

/**
 * Suspends a wait for each of these jobs, one execution each, in simulated time. Each round runs on
 * any of the workers.
 */
export async function suspendWaits(
	durationsSeconds: number[],
	seed: number,
	workerCount = 1,
): Promise<SuspendReport> {
	const { account, random } = simulateAccount(seed);
	const { clock } = account;
	const workers = Array.from({ length: workerCount }, () => new Worker(account, random));
	const anyWorker = () => workers[Math.floor(random() * workerCount)] as Worker;
	const roundsOf: number[] = durationsSeconds.map(() => 0);
	const endsSeen: number[] = [];
	let runningMs = 0;

	/** Returns how long after the job's end it was seen, in ms. */
	const wait = async (durationMs: number, job: number): Promise<number> => {
		const { id: jobId } = account.givenJob(durationMs);
		const beganAt = clock.now();
		const endsAt = beganAt + durationMs;
		let worker = anyWorker();
		const waiting = worker.toWait({ jobId });
		const first = await worker.continueWait(
			waiting,
			suspendLater({ clock, beganAt, signal: NEVER }, 1),
		);
		if (first.kind === 'finished') return clock.now() - endsAt;

		for (let isFirst = true; ; isFirst = false) {
			void worker.watch(job, clock, roundsOf);
			const now = clock.now();
			const seconds = secondsToNextRound({
				now,
				from: isFirst ? now : (waiting.wait.polledAt ?? now),
				startedAt: beganAt,
				firstDeadline: Infinity,
				suspendedWaits: worker.suspendedJobs,
				polledShare: 1,
				limiter: worker.client.account.polls,
				random: random(),
			});
			await clock.sleep(seconds * 1000);
			roundsOf[job] = (roundsOf[job] ?? 0) + 1;
			worker = anyWorker();
			worker.forget(job);
			const startedAt = clock.now();
			const end = await worker.continueWait(waiting, suspendAgain({ clock, signal: NEVER }, 1));
			runningMs += clock.now() - startedAt;
			if (end.kind === 'suspended') continue;
			endsSeen.push(clock.now());
			return clock.now() - endsAt;
		}
	};
	const delays = await Promise.all(
		durationsSeconds.map(async (seconds, job) => (await wait(seconds * 1000, job)) / 1000),
	);

	endsSeen.sort((one, other) => one - other);
	const until = endsSeen.at(-POLLS_PER_MINUTE) ?? NaN;
	const counted = account.polls.filter(({ at }) => at >= FIRST_MINUTE_MS && at < until).length;
	const minutes = (until - FIRST_MINUTE_MS) / 60_000;
	return {
		running: runningMs / (clock.now() - FIRST_MINUTE_MS),
		percentOfLimit: (100 * counted) / minutes / POLLS_PER_MINUTE,
		delays,
		refused: account.counts.refused,
	};
}
