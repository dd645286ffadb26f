import { describeServiceError } from '../errors/describeServiceError';
import { rethrown, ServiceError } from '../errors/ServiceError';
import { UserError } from '../errors/UserError';
import type { ServiceClient } from '../service/ServiceClient';

/**
 * Throws a `UserError` if the account has fewer than `minimumCredits`, or if that can't be found out.
 * An unlimited account always has enough; without a minimum nothing is sent.
 */
export async function requireCredits(
	client: ServiceClient,
	minimumCredits: number | undefined,
	signal: AbortSignal,
): Promise<void> {
	if (minimumCredits === undefined) return;

	const { unlimited, credit_balance: balance } = await readBalance(client, signal);
	if (unlimited === true) return;
	if (typeof balance !== 'number') {
		throw new UserError("The account's credits could not be read, so nothing was started", {
			description: "Try again later, or remove the option 'Minimum Credits'.",
		});
	}
	if (balance < minimumCredits) {
		throw new UserError(
			`The account has ${balance} credits, fewer than 'Minimum Credits' (${minimumCredits}), so nothing was started`,
			{ description: "Add credits in the service's web platform, or lower 'Minimum Credits'." },
		);
	}
}

async function readBalance(client: ServiceClient, signal: AbortSignal) {
	try {
		return await client.getCreditBalance({ signal, retry: true });
	} catch (error) {
		if (!(error instanceof ServiceError) || error.kind === 'aborted') throw rethrown(error);
		const { message, details } = describeServiceError(error);
		throw rethrown(
			new UserError(
				`The account's credits could not be read, so nothing was started. ${message}`,
				details,
			),
		);
	}
}
