import { anySignal } from '../async/abortSignals';
import { rethrow } from '../async/rethrow';
import { describeServiceError } from '../errors/describeServiceError';
import { ServiceError } from '../errors/ServiceError';
import { UserError } from '../errors/UserError';
import { toCredits } from '../service/ServiceClient';
import type { Work } from './Work';

const MAX_READ_MS = 10_000;

/**
 * Reads the balance of the item's account, unless `minimum` is 0. Throws a `UserError` if the
 * account has fewer credits than `minimum`, and if its balance isn't a number or can't be read
 * within ten seconds. Throws the `ServiceError` `aborted` when the run ends.
 */
export async function requireCredits(work: Work, minimum: number): Promise<void> {
	if (minimum === 0) return;

	const credits = await readCredits(work);
	if (credits === undefined) throw unknownCreditsError('the response contains no credit balance');
	if (credits >= minimum) return;
	throw new UserError(
		`The account has ${credits} credits, fewer than 'Minimum Credits' (${minimum}), so the job was not started`,
		{ description: "Add credits in the service's web platform, or lower 'Minimum Credits'." },
	);
}

async function readCredits({ run, client }: Work): Promise<number | undefined> {
	const { clock, executionId } = run;
	const signal = anySignal(run.signal, clock.timeout(MAX_READ_MS));
	try {
		return toCredits(await client.getCreditBalance({ group: executionId, signal, retry: true }));
	} catch (error) {
		if (!(error instanceof ServiceError) || run.signal.aborted) rethrow(error);
		if (error.kind === 'aborted') {
			throw unknownCreditsError(`the service did not respond within ${MAX_READ_MS / 1000} s`);
		}
		const { message, details } = describeServiceError(error);
		throw unknownCreditsError(message, details.description, error);
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
