import { setMaxListeners } from 'node:events';

import { kindOf } from '../../../nodes/errors/ServiceError';
import type { JobWait, WaitOptions, WaitResult } from '../../../nodes/jobs/JobWait';
import { LedgerEntry } from '../../../nodes/jobs/LedgerEntry';
import { pollUntilOver } from '../../../nodes/jobs/waitForJob';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import type { SimulatedAccount } from '../../engine/SimulatedAccount';

const NEVER = new AbortController().signal;
// As many as there are jobs.
setMaxListeners(0, NEVER);

const OPTIONS: WaitOptions = {
	maxWaitMs: Infinity,
	returnInsteadOfFailing: [],
	waitWhileTakenOver: false,
};

/** A job that is waited for; times by the clock, in ms. */
export interface AwaitedJob {
	jobId: string;
	/** Unset: somebody else has started it. */
	startedAt?: number;
	/** When the wait for it ends; unset: never. */
	deadline?: number;
}

/** What an n8n process does that spends calls: it starts jobs and waits for them. */
export class SimulatedProcess {
	readonly client: ServiceClient;

	/** `random` varies the time between polls. */
	constructor(
		private readonly account: SimulatedAccount,
		private readonly random: () => number,
	) {
		this.client = account.connect();
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

	/** Waits for a job as the nodes do. */
	async waitFor(job: AwaitedJob): Promise<WaitResult> {
		return await pollUntilOver(this.session(), this.toWait(job), this.random);
	}

	/** A wait that can be suspended. Its parts return whether the end of the job was seen. */
	suspendable(job: AwaitedJob) {
		const { random } = this;
		const session = this.session();
		const wait = this.toWait(job);
		const isSeen = ({ reason }: WaitResult) => reason === 'status';
		return {
			wait,
			/** Waits until it is suspended. */
			inProcess: async (waitSignal: AbortSignal) =>
				isSeen(await pollUntilOver({ ...session, waitSignal }, wait, random)),
			/** What one round does. */
			round: async () =>
				isSeen(await pollUntilOver(session, { ...wait, isSuspendedRound: true }, random)),
		};
	}

	private toWait({ jobId, startedAt, deadline = Infinity }: AwaitedJob): JobWait {
		return {
			jobId,
			startedAt,
			waitStartedAt: this.account.clock.now(),
			deadline,
			options: OPTIONS,
		};
	}

	private session() {
		const { clock } = this.account;
		return {
			client: this.client,
			clock,
			entry: new LedgerEntry(clock, { state: 'running' }),
			signal: NEVER,
			waitSignal: NEVER,
		};
	}
}
