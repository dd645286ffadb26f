import type { IRunExecutionData, Logger } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import type { LogOrigin } from '../errors/safeLogger';
import { messageOf } from '../errors/ServiceError';
import type { Account } from '../service/Account';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import { LedgerEntry } from './LedgerEntry';
import { logFinished } from './logFinished';
import { pauseJobs } from './pauseJob';

/** Access to n8n's executions, and to the jobs of one account. */
export interface Access {
	client: ServiceClient;
	/** Returns a logger whose lines name this origin. */
	loggerFor(origin: LogOrigin): Logger;
	/**
	 * Returns all that n8n stored about an execution, because n8n offers nothing smaller. Undefined
	 * if the execution was deleted.
	 */
	readExecution(executionId: string): Promise<IRunExecutionData | undefined>;
}

interface InnerExecution {
	account: Account;
	/** The IDs of the jobs to pause when it is stopped. */
	jobIds: string[];
	/** What the log names: the execution that suspended the waits. */
	origin: LogOrigin;
	/** When it was last known to be waiting, in ms, from `Clock.now()`. */
	knownAt: number;
}

// An execution without news for this long is checked, so that a Stop is noticed within two minutes.
const MAX_AGE_MS = 100_000;

// Errors of our nodes. An execution with one of them was not stopped: it failed.
const NODE_ERRORS = ['NodeApiError', 'NodeOperationError'];

/**
 * Watches the inner executions of waits that this process suspended. n8n doesn't tell a node
 * when such an execution is stopped, crashes or is deleted. So each one is checked when there has
 * been no news of it for a while, one at a time. If it is gone, its jobs are paused as after a
 * Stop.
 */
export class InnerExecutions {
	/** By ID, least recently confirmed first. */
	private readonly watched = new Map<string, InnerExecution>();

	// The latest of each account. There is only one because each keeps its context, and with it the
	// data of a whole execution, in memory.
	private readonly accessOf = new Map<Account, Access>();

	private isChecking = false;

	constructor(private readonly clock: Clock) {}

	/**
	 * Watches an execution until it ends, and pauses these jobs if it is stopped. The log names
	 * `origin`. From now on, `access` serves all executions of its account.
	 */
	watch(executionId: string, jobIds: string[], origin: LogOrigin, access: Access): void {
		const { account } = access.client;
		this.accessOf.set(account, access);
		this.watched.set(executionId, { account, jobIds, origin, knownAt: this.clock.now() });
		void this.checkAll();
	}

	/**
	 * Records that a watched execution runs a round of polls in this process. From now on, `access`
	 * serves all executions of its account. Does nothing for an execution that is not watched.
	 */
	confirm(executionId: string, access: Access): void {
		const known = this.watched.get(executionId);
		if (known === undefined) return;
		this.accessOf.set(known.account, access);
		this.moveToEnd(executionId);
	}

	/** Stops watching an execution, which has ended or is about to. */
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
		const { account, jobIds, origin } = this.watched.get(executionId) as InnerExecution;
		const access = this.accessOf.get(account) as Access;
		const logger = access.loggerFor(origin);
		try {
			const data = await access.readExecution(executionId);
			if (isStopped(data)) {
				this.forget(executionId);
				void this.pauseAll(executionId, jobIds, access.client, logger);
			} else if (data?.waitTill === undefined) {
				this.forget(executionId);
			}
		} catch (error) {
			logger.debug(`Browser Agent could not check execution ${executionId}: ${messageOf(error)}`);
		}
		this.moveToEnd(executionId);
	}

	private async pauseAll(
		executionId: string,
		jobIds: string[],
		client: ServiceClient,
		logger: Logger,
	): Promise<void> {
		const onFinished = (job: Job, durationMs?: number) =>
			logFinished(logger, 'Browser Agent', client.redactor, job, durationMs);
		const entries = jobIds.map((jobId) => {
			logger.warn(
				`Browser Agent is pausing job ${jobId}, because execution ${executionId} was stopped while it waited for the job`,
				{ jobId },
			);
			const entry = new LedgerEntry(this.clock, { state: 'running', jobId });
			entry.claim({ client, pausePolicy: 'onEarlyEnd', onStarted: () => {}, onFinished });
			return entry;
		});
		await pauseJobs({ clock: this.clock, executionId, logger }, entries);
	}

	private moveToEnd(executionId: string): void {
		const known = this.watched.get(executionId);
		if (known === undefined) return;
		this.watched.delete(executionId);
		this.watched.set(executionId, { ...known, knownAt: this.clock.now() });
	}
}

// An execution that is stopped during a round pauses its jobs itself. n8n stores no error of it, so
// it doesn't count as stopped here.
function isStopped(data: IRunExecutionData | undefined): boolean {
	if (data === undefined) return true;
	const { error } = data.resultData;
	return error !== undefined && !NODE_ERRORS.includes(error.name);
}
