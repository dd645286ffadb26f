import { anySignal } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { rethrow } from '../async/rethrow';
import { describeServiceError } from '../errors/describeServiceError';
import { ServiceError } from '../errors/ServiceError';
import { UserError } from '../errors/UserError';
import { toCredits, type ServiceClient } from '../service/ServiceClient';

const MAX_READ_MS = 10_000;

/** Starts no job on an account with too few credits. One for each run of the node. */
export class CreditGuard {
	/** The reads in progress. Starts that come at the same time share one. */
	private readonly reads = new Map<ServiceClient, Promise<number | undefined>>();

	/**
	 * `execution` names it for its fair share of the rate limits; `signal` ends the run, and with it
	 * a read.
	 */
	constructor(
		private readonly clock: Clock,
		private readonly execution: string,
		private readonly signal: AbortSignal,
	) {}

	/**
	 * Reads the balance of the client's account, unless `minimum` is 0. Throws a `UserError` with
	 * fewer credits than `minimum`, and if the balance says nothing or can't be read within ten
	 * seconds; the `ServiceError` `aborted` when the run ends.
	 */
	async require(client: ServiceClient, minimum: number): Promise<void> {
		if (minimum === 0) return;

		const credits = await this.read(client);
		if (credits === undefined) throw unknownCreditsError('the balance has no number of credits');
		if (credits >= minimum) return;
		throw new UserError(
			`The account has ${credits} credits, fewer than 'Minimum Credits' (${minimum}), so the job was not started`,
			{ description: "Add credits in the service's web platform, or lower 'Minimum Credits'." },
		);
	}

	private async read(client: ServiceClient): Promise<number | undefined> {
		const current = this.reads.get(client) ?? this.startRead(client);
		this.reads.set(client, current);
		try {
			return await current;
		} finally {
			this.reads.delete(client);
		}
	}

	private async startRead(client: ServiceClient): Promise<number | undefined> {
		const { execution } = this;
		const signal = anySignal(this.signal, this.clock.timeout(MAX_READ_MS));
		try {
			return toCredits(await client.getCreditBalance({ execution, signal, retry: true }));
		} catch (error) {
			if (!(error instanceof ServiceError) || this.signal.aborted) rethrow(error);
			if (error.kind === 'aborted') {
				throw unknownCreditsError(`the service did not respond within ${MAX_READ_MS / 1000} s`);
			}
			const { message, details } = describeServiceError(error);
			throw unknownCreditsError(message, details.description, error);
		}
	}
}

function unknownCreditsError(
	reason: string,
	description = "Try again later, or remove the option 'Minimum Credits'.",
	cause?: unknown,
): UserError {
	return new UserError(
		`The account's credits could not be read, so the job was not started: ${reason}`,
		{ description },
		cause,
	);
}
