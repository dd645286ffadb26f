import { setMaxListeners } from 'node:events';

import { kindOf } from '../../../nodes/errors/ServiceError';
import { isFinished } from '../../../nodes/jobs/status';
import { TrackedJob } from '../../../nodes/jobs/TrackedJob';
import { waitForEnd } from '../../../nodes/jobs/waitForEnd';
import type { JobWait, Suspension, WaitEnd } from '../../../nodes/jobs/Work';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import { createWork } from '../../engine/createWork';
import type { SimulatedAccount } from '../../engine/SimulatedAccount';

const NO_LIMIT = { calls: Infinity, windowMs: 1 };
const UNLIMITED = { start: NO_LIMIT, status: NO_LIMIT, balance: NO_LIMIT };

const NEVER = new AbortController().signal;
// As many as there are jobs.
setMaxListeners(0, NEVER);

const OPTIONS = { returnInsteadOfFailing: [], waitWhileTakenOver: false };

/** A job that is waited for; times by the clock, in ms. */
export interface AwaitedJob {
	jobId: string;
	/** Unset: somebody else has started it. */
	startedAt?: number;
	/** When the wait for it ends; unset: never. */
	deadline?: number;
}

/** A wait for a job, as a process leaves it to the next one. */
export interface SuspendableWait {
	wait: JobWait;
	job: TrackedJob;
}

/** What an n8n process does that spends calls: it starts jobs and waits for them. */
export class SimulatedProcess {
	readonly client: ServiceClient;

	private readonly unlimited: ServiceClient;

	/** `random` varies the time between polls. */
	constructor(
		private readonly account: SimulatedAccount,
		private readonly random: () => number,
	) {
		this.client = account.connect();
		this.unlimited = account.connect(UNLIMITED);
	}

	/** Starts a job that runs for this long; a start is repeated until the service accepts it. */
	async start(durationMs: number): Promise<AwaitedJob & { startedAt: number }> {
		const start = this.account.toStart(durationMs);
		for (;;) {
			try {
				const { job_id: jobId } = await this.client.startJob(start, { group: '1' });
				return { jobId, startedAt: this.account.clock.now() };
			} catch (error) {
				if (kindOf(error) !== 'rateLimited') throw error;
			}
		}
	}

	/** Polls a job once, without a rate limiter, and returns whether it has ended. */
	async hasEnded({ jobId }: AwaitedJob): Promise<boolean> {
		return isFinished(await this.unlimited.getJob(jobId, { group: '1', ignoresRetryAfter: true }));
	}

	/** Waits for a job as the nodes do. `suspension`: what suspends the wait, if anything does. */
	async waitFor(awaited: AwaitedJob, suspension?: Suspension): Promise<WaitEnd> {
		const { wait, job } = this.toWait(awaited);
		return await this.continueWait({ wait, job }, suspension);
	}

	/** Creates a wait that can be suspended, and then continued in any process. */
	toWait({ jobId, startedAt, deadline = Infinity }: AwaitedJob): SuspendableWait {
		const { clock } = this.account;
		const start = startedAt === undefined ? undefined : { at: startedAt };
		return {
			wait: { beganAt: clock.now(), deadline },
			job: new TrackedJob(clock, { state: 'started', job_id: jobId, start }),
		};
	}

	/** Waits until the job has ended, or until the wait is suspended. */
	async continueWait({ wait, job }: SuspendableWait, suspension?: Suspension): Promise<WaitEnd> {
		const { clock } = this.account;
		const work = createWork({ clock, client: this.client, job, signal: NEVER, suspension });
		return await waitForEnd(work, wait, OPTIONS, this.random);
	}
}
