import type { IRunExecutionData, Logger } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import { messageOf } from '../errors/ServiceError';
import type { Account } from '../service/Account';
import type { ServiceClient } from '../service/ServiceClient';
import { LedgerEntry } from './LedgerEntry';
import { pauseJobs } from './pauseJob';

/** Reads n8n's executions, and pauses jobs of one account. */
export interface Access {
	client: ServiceClient;
	logger: Logger;
	/**
	 * All that n8n has stored of an execution; undefined if it was deleted. n8n offers nothing
	 * smaller.
	 */
	readExecution(executionId: string): Promise<IRunExecutionData | undefined>;
}

interface InnerExecution {
	account: Account;
	/** The jobs to pause when it is stopped. */
	jobIds: string[];
	/** When it was last known to wait, by the clock in ms. */
	knownAt: number;
}

// So that a Stop is noticed within two minutes.
const MAX_AGE_MS = 100_000;

// Errors of our nodes: the execution has ended by itself.
const NODE_ERRORS = ['NodeApiError', 'NodeOperationError'];

/**
 * The executions that hold suspended waits, as far as this process has suspended them. n8n tells no
 * node that such an execution was stopped, has crashed or was deleted. So each is checked when
 * nothing has been known of it for a while, one after the other, and its jobs are paused as after a
 * Stop.
 */
export class InnerExecutions {
	/** By ID, those first of which nothing was heard for the longest time. */
	private readonly watched = new Map<string, InnerExecution>();

	// What belongs to a context keeps the data of its whole execution in memory, so there is one for
	// an account.
	private readonly accessOf = new Map<Account, Access>();

	private isChecking = false;

	constructor(private readonly clock: Clock) {}

	/** Watches an execution until it ends. `jobIds`: what to pause when it is stopped. */
	watch(executionId: string, jobIds: string[], access: Access): void {
		const { account } = access.client;
		this.accessOf.set(account, access);
		this.watched.set(executionId, { account, jobIds, knownAt: this.clock.now() });
		void this.checkAll();
	}

	/**
	 * An execution runs a round of polls in this process. From now on, `access` serves its account.
	 */
	confirm(executionId: string, access: Access): void {
		const known = this.watched.get(executionId);
		if (known === undefined) return;
		this.accessOf.set(known.account, access);
		this.moveToEnd(executionId);
	}

	/** An execution has ended, or is about to. */
	forget(executionId: string): void {
		const known = this.watched.get(executionId);
		if (known === undefined) return;
		this.watched.delete(executionId);
		const others = [...this.watched.values()];
		if (others.every(({ account }) => account !== known.account)) {
			this.accessOf.delete(known.account);
		}
	}

	private async checkAll(): Promise<void> {
		if (this.isChecking) return;
		this.isChecking = true;
		for (;;) {
			const [next] = this.watched;
			if (next === undefined) break;
			const [executionId, { knownAt }] = next;
			const leftMs = knownAt + MAX_AGE_MS - this.clock.now();
			if (leftMs > 0) await this.clock.sleep(leftMs);
			else await this.check(executionId);
		}
		this.isChecking = false;
	}

	private async check(executionId: string): Promise<void> {
		const { account, jobIds } = this.watched.get(executionId) as InnerExecution;
		const access = this.accessOf.get(account) as Access;
		try {
			const data = await access.readExecution(executionId);
			if (isStopped(data)) {
				this.forget(executionId);
				void this.pauseAll(executionId, jobIds, access);
			} else if (data?.waitTill === undefined) {
				this.forget(executionId);
			}
		} catch (error) {
			const { logger } = access;
			logger.debug(`Browser Agent could not check execution ${executionId}: ${messageOf(error)}`);
		}
		this.moveToEnd(executionId);
	}

	private async pauseAll(executionId: string, jobIds: string[], access: Access): Promise<void> {
		const { client, logger } = access;
		logger.warn(
			`Browser Agent: execution ${executionId} was stopped while it waited for jobs, which are now being paused: ${jobIds.join(', ')}`,
		);
		const entries = jobIds.map((jobId) => {
			const entry = new LedgerEntry(this.clock, { state: 'running', jobId });
			entry.connect({ client, policy: 'always', onStarted: () => {} });
			return entry;
		});
		await pauseJobs({ clock: this.clock, execution: executionId, logger }, entries);
	}

	private moveToEnd(executionId: string): void {
		const known = this.watched.get(executionId);
		if (known === undefined) return;
		this.watched.delete(executionId);
		this.watched.set(executionId, { ...known, knownAt: this.clock.now() });
	}
}

// n8n stores no error of an execution that is stopped during a round, which pauses the jobs itself.
function isStopped(data: IRunExecutionData | undefined): boolean {
	if (data === undefined) return true;
	const { error } = data.resultData;
	return error !== undefined && !NODE_ERRORS.includes(error.name);
}
