import { anySignal } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { rethrow } from '../async/rethrow';
import { describeServiceError } from '../errors/describeServiceError';
import { ServiceError } from '../errors/ServiceError';
import { UserError } from '../errors/UserError';
import { toCredits, type ServiceClient } from '../service/ServiceClient';

const MAX_READ_MS = 10_000;

/** Prevents starts on accounts with too few credits. Each run of the node has its own guard. */
export class CreditGuard {
	/** The reads in progress, which concurrent starts share. */
	private readonly reads = new Map<ServiceClient, Promise<number | undefined>>();

	/**
	 * `executionId` is also the name of the execution's group in the account's queue. `signal` is
	 * aborted when the run ends, and ends a read.
	 */
	constructor(
		private readonly clock: Clock,
		private readonly executionId: string,
		private readonly signal: AbortSignal,
	) {}

	/**
	 * Reads the balance of the client's account, unless `minimum` is 0. Throws a `UserError` if the
	 * account has fewer credits than `minimum`, and if its balance isn't a number or can't be read
	 * within ten seconds. Throws the `ServiceError` `aborted` when the run ends.
	 */
	async requireMinimum(client: ServiceClient, minimum: number): Promise<void> {
		if (minimum === 0) return;

		const credits = await this.read(client);
		if (credits === undefined) throw unknownCreditsError('the response contains no credit balance');
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
		const { executionId } = this;
		const signal = anySignal(this.signal, this.clock.timeout(MAX_READ_MS));
		try {
			return toCredits(await client.getCreditBalance({ group: executionId, signal, retry: true }));
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
		`The credit balance could not be read, so the job was not started: ${reason}`,
		{ description },
		cause,
	);
}
