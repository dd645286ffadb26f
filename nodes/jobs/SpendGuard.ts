import type { Logger } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import { messageOf } from '../errors/ServiceError';
import { stoppedError, UserError } from '../errors/UserError';
import type { ServiceClient } from '../service/ServiceClient';
import type { JobLedger } from './JobLedger';
import { toCredits } from './requireCredits';

/** What is needed to read the balance. `signal` ends that. */
export interface BalanceContext {
	clock: Clock;
	logger: Logger;
	signal: AbortSignal;
}

/** The balance is not read more often while jobs are waited for. */
export const BALANCE_INTERVAL_MS = 2 * 60_000;
const MAX_READ_MS = 60_000;

/** The account's credits: infinite if they are unlimited, undefined if they can't be read. Never throws. */
export async function readCredits(
	client: ServiceClient,
	{ clock, logger, signal }: BalanceContext,
): Promise<number | undefined> {
	try {
		const deadline = clock.now() + MAX_READ_MS;
		return toCredits(await client.getCreditBalance({ signal, deadline }));
	} catch (error) {
		if (!signal.aborted) {
			logger.warn(`Browser Agent could not read the account's credits: ${messageOf(error)}`);
		}
		return undefined;
	}
}

/** The error of all items of an account with fewer credits than `floor`. */
export function tooFewCredits(credits: number, floor: number): UserError {
	return new UserError(
		`The account has ${credits} credits, fewer than 'Stop Below Credits' (${floor}), so running jobs are paused and no more are started`,
		{
			description:
				"Add credits in the service's web platform, or lower 'Stop Below Credits'. Then continue with Job: Resume and Job: Wait; the service fails a job that is paused for 6 hours.",
		},
	);
}

/**
 * Watches the credits of an account while a run of the node waits for jobs. One for each account of a
 * run. That an account is low is kept in the ledger: a further try reads the balance before it spends.
 */
export class SpendGuard {
	private readonly stop = new AbortController();

	private watching?: Promise<void>;

	private lastRead?: { at: number; credits: Promise<number | undefined> };

	constructor(
		private readonly run: BalanceContext & { ledger: JobLedger },
		private readonly client: ServiceClient,
		readonly floor: number,
	) {}

	/** Aborted when the account has too few credits. Its reason is the error for the user. */
	get signal(): AbortSignal {
		return this.stop.signal;
	}

	/** When the balance was read last, by the clock; undefined: never. */
	get lastReadAt(): number | undefined {
		return this.lastRead?.at;
	}

	/** To be called when a wait begins: from now on the balance is read, until the run ends. */
	watch(): void {
		this.watching ??= this.readRegularly();
	}

	/** Throws a `UserError` unless credits may be spent: not if the account was low and still may be. */
	async allow(): Promise<void> {
		const { ledger, signal } = this.run;
		if (!ledger.lowAccounts.has(this.client.account)) return;
		const credits = await this.read();
		this.signal.throwIfAborted();
		if (credits !== undefined) return;
		if (signal.aborted) throw stoppedError('nothing was started or resumed');
		throw new UserError(
			"The account's credits could not be read, so nothing was started or resumed",
			{ description: "They were below 'Stop Below Credits' before. Try again later." },
		);
	}

	private async readRegularly(): Promise<void> {
		const { clock, signal } = this.run;
		while (!signal.aborted && !this.signal.aborted) {
			await this.read();
			await clock.sleep(BALANCE_INTERVAL_MS, signal);
		}
	}

	private async read(): Promise<number | undefined> {
		const now = this.run.clock.now();
		const isDue = this.lastRead === undefined || now >= this.lastRead.at + BALANCE_INTERVAL_MS;
		if (isDue) this.lastRead = { at: now, credits: this.readNow() };
		return await this.lastRead?.credits;
	}

	private async readNow(): Promise<number | undefined> {
		const { lowAccounts } = this.run.ledger;
		const { account } = this.client;
		const credits = await readCredits(this.client, this.run);
		if (credits === undefined) return undefined;
		if (credits >= this.floor) lowAccounts.delete(account);
		else {
			lowAccounts.add(account);
			this.stop.abort(tooFewCredits(credits, this.floor));
		}
		return credits;
	}
}
