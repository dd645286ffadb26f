import type { IDataObject, Logger } from 'n8n-workflow';

import { anySignal } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { rethrown } from '../async/retry';
import { describeServiceError } from '../errors/describeServiceError';
import { messageOf, ServiceError } from '../errors/ServiceError';
import { stoppedError, UserError, type UserErrorDetails } from '../errors/UserError';
import type { ServiceClient } from '../service/ServiceClient';
import type { JobLedger } from './JobLedger';

/** What a user wants to keep of the credits; 0: nothing. */
export interface CreditLimits {
	/** 'Minimum Credits': fewer, and no job is started. */
	minimum: number;
	/** 'Stop Below Credits': fewer, and running jobs are paused. */
	threshold: number;
}

/** What the monitor needs of a run. `signal` ends it. */
export interface CreditContext {
	clock: Clock;
	logger: Logger;
	ledger: JobLedger;
	signal: AbortSignal;
	/** Names the execution for its fair share of the rate limits. */
	execution: string;
}

// The balance is not read more often while jobs are waited for.
const INTERVAL_MS = 2 * 60_000;
const MAX_READ_MS = 60_000;

/** Watches an account's credits during a run. The ledger keeps that they are low: a retry reads them first. */
export class CreditMonitor {
	private readonly low = new AbortController();

	/** Aborted when the credits are below the threshold. Its reason is the error for the user. */
	readonly lowSignal = this.low.signal;

	/** Aborted when the run ends, or when the credits are below the threshold. */
	readonly signal: AbortSignal;

	private watching?: Promise<void>;

	private reading?: Promise<number | undefined>;

	private minimumCheck?: Promise<void>;

	/** `lastReadAt`: when the balance was read last, by the clock. */
	constructor(
		private readonly run: CreditContext,
		readonly client: ServiceClient,
		readonly limits: CreditLimits = { minimum: 0, threshold: 0 },
		public lastReadAt = 0,
	) {
		this.signal = anySignal(run.signal, this.lowSignal);
	}

	/** The limits of another item: the highest ones of all items count. */
	raiseLimits({ minimum = 0, threshold = 0 }: Partial<CreditLimits>): void {
		this.limits.minimum = Math.max(this.limits.minimum, minimum);
		this.limits.threshold = Math.max(this.limits.threshold, threshold);
	}

	/** To be called when a wait begins: from now on the balance is read, until the run ends. */
	watch(): void {
		if (this.limits.threshold > 0) this.watching ??= this.readRegularly();
	}

	/** Reads the balance if that is due; returns the credits, undefined if they are not known. Never throws. */
	async read(): Promise<number | undefined> {
		const now = this.run.clock.now();
		if (now >= this.lastReadAt + INTERVAL_MS) {
			this.lastReadAt = now;
			this.reading = this.readNow();
		}
		return await this.reading;
	}

	/** Throws a `UserError` unless credits may be spent: not if the account was low and still may be. */
	async requireThreshold(): Promise<void> {
		const { ledger, signal } = this.run;
		if (!ledger.store.lowAccounts.has(this.client.account)) return;
		const credits = await this.read();
		this.lowSignal.throwIfAborted();
		if (credits !== undefined) return;
		const what = 'nothing was started or resumed';
		if (signal.aborted) throw stoppedError(what);
		throw unknownCreditsError(what, {
			description: "They were below 'Stop Below Credits' before. Try again later.",
		});
	}

	/** Throws a `UserError` below the minimum. Read once for all first jobs, and for each further attempt. */
	async requireMinimum({ isFurtherAttempt }: { isFurtherAttempt: boolean }): Promise<void> {
		const { minimum } = this.limits;
		if (minimum === 0) return;
		if (isFurtherAttempt) await this.checkMinimum(minimum, 'no further job was started');
		else await (this.minimumCheck ??= this.checkMinimum(minimum, 'nothing was started'));
	}

	private async checkMinimum(minimum: number, what: string): Promise<void> {
		const credits = toCredits(await this.readBalance(what));
		if (credits === undefined) {
			throw unknownCreditsError(what, {
				description: "Try again later, or remove the option 'Minimum Credits'.",
			});
		}
		if (credits >= minimum) return;
		throw new UserError(
			`The account has ${credits} credits, fewer than 'Minimum Credits' (${minimum}), so ${what}`,
			{ description: "Add credits in the service's web platform, or lower 'Minimum Credits'." },
		);
	}

	private async readBalance(what: string): Promise<IDataObject> {
		const { execution, signal } = this.run;
		try {
			return await this.client.getCreditBalance({ execution, signal, retry: true });
		} catch (error) {
			if (!(error instanceof ServiceError) || error.kind === 'aborted') throw rethrown(error);
			const { message, details } = describeServiceError(error);
			throw rethrown(unknownCreditsError(`${what}. ${message}`, details, error));
		}
	}

	private async readRegularly(): Promise<void> {
		while (!this.signal.aborted) {
			await this.read();
			await this.run.clock.sleep(INTERVAL_MS, this.signal);
		}
	}

	private async readNow(): Promise<number | undefined> {
		const { clock, execution, ledger, logger, signal } = this.run;
		const { threshold } = this.limits;
		try {
			const deadline = clock.now() + MAX_READ_MS;
			const credits = toCredits(
				await this.client.getCreditBalance({ execution, signal, deadline }),
			);
			if (credits === undefined) return undefined;
			if (credits >= threshold) ledger.store.lowAccounts.delete(this.client.account);
			else {
				ledger.store.lowAccounts.add(this.client.account);
				this.low.abort(tooFewCreditsError(credits, threshold));
			}
			return credits;
		} catch (error) {
			if (!signal.aborted) {
				logger.warn(`Browser Agent could not read the account's credits: ${messageOf(error)}`);
			}
			return undefined;
		}
	}
}

function unknownCreditsError(what: string, details: UserErrorDetails, cause?: unknown): UserError {
	return new UserError(`The account's credits could not be read, so ${what}`, details, cause);
}

function tooFewCreditsError(credits: number, threshold: number): UserError {
	return new UserError(
		`The account has ${credits} credits, fewer than 'Stop Below Credits' (${threshold}), so running jobs are paused and no more are started`,
		{
			description:
				"Add credits in the service's web platform, or lower 'Stop Below Credits'. Then continue with Job: Resume and Job: Wait; the service fails a job that is paused for 6 hours.",
		},
	);
}

/** The credits in a balance: infinite for an unlimited account, undefined if it doesn't say. */
function toCredits({ unlimited, credit_balance }: IDataObject): number | undefined {
	if (unlimited === true) return Infinity;
	return typeof credit_balance === 'number' ? credit_balance : undefined;
}
