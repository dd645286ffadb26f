import { setMaxListeners } from 'node:events';

import type { ServiceError } from '../../../nodes/errors/ServiceError';
import type { JobWait, WaitOptions, WaitResult } from '../../../nodes/jobs/JobWait';
import { LedgerEntry } from '../../../nodes/jobs/LedgerEntry';
import { pollUntilOver } from '../../../nodes/jobs/waitForJob';
import { Account } from '../../../nodes/service/Account';
import type { Permit } from '../../../nodes/service/RateLimiter';
import type { Job } from '../../../nodes/service/types';
import type { SimulatedService } from './SimulatedService';

const NEVER = new AbortController().signal;
// As many as there are jobs.
setMaxListeners(0, NEVER);

const OPTIONS: WaitOptions = {
	maxWaitMs: Infinity,
	pollIntervalMs: 0,
	onPaused: 'wait',
	onTakenOver: 'fail',
	onTimeout: 'fail',
	onJobFailure: 'fail',
};

/** A job in virtual time; times in ms. */
export interface SimulatedJob {
	/** Unset: somebody else has started it. */
	startedAt?: number;
	endsAt: number;
	/** When the wait for it ends; unset: never. */
	deadline?: number;
	onPoll?: () => void;
}

/** The part of an n8n process that spends calls: the package's rate limiters and its waits. */
export class SimulatedProcess {
	readonly account: Account;

	constructor(private readonly service: SimulatedService) {
		const { clock, random } = service;
		this.account = new Account('account', clock, undefined, random);
	}

	/** Tries until the service accepts it. */
	async start(): Promise<void> {
		const permit = await this.account.starts.acquire({ execution: '1' });
		await this.call('starts', permit).catch(async () => await this.start());
	}

	/** Waits for a job as the nodes do. */
	async waitFor(job: SimulatedJob): Promise<WaitResult> {
		return await pollUntilOver(this.sessionOf(job), this.waitOf(job), this.service.random);
	}

	/** A wait that can be suspended. Its parts return whether the end of the job was seen. */
	suspendable(job: SimulatedJob) {
		const { random } = this.service;
		const session = this.sessionOf(job);
		const wait = this.waitOf(job);
		const isSeen = ({ reason }: WaitResult) => reason === 'status';
		return {
			wait,
			/** Waits until it is suspended. */
			inProcess: async (waitSignal: AbortSignal) =>
				isSeen(await pollUntilOver({ ...session, waitSignal }, wait, random)),
			/** What one round does. */
			round: async () =>
				isSeen(await pollUntilOver(session, { ...wait, isSuspended: true }, random)),
		};
	}

	private waitOf({ startedAt, deadline = Infinity }: SimulatedJob): JobWait {
		const waitBegan = this.service.clock.now();
		return { jobId: 'job', startedAt, waitBegan, deadline, options: OPTIONS };
	}

	private sessionOf({ endsAt, onPoll }: SimulatedJob) {
		const { clock } = this.service;
		const getJob = async (jobId: string, { permit }: { permit: Permit }): Promise<Job> => {
			onPoll?.();
			await this.call('polls', permit);
			const status = clock.now() < endsAt ? 'running' : 'completed';
			return { job_id: jobId, status, body: {} };
		};
		return {
			client: { account: this.account, getJob: getJob as never },
			clock,
			entry: new LedgerEntry(clock, { state: 'running' }),
			signal: NEVER,
			waitSignal: NEVER,
		};
	}

	private async call(limit: 'starts' | 'polls', permit: Permit): Promise<void> {
		try {
			await this.service.call(limit);
			permit.release();
		} catch (error) {
			permit.release(error as ServiceError);
			throw error;
		}
	}
}
