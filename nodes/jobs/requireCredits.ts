import type { IDataObject } from 'n8n-workflow';

import { describeServiceError } from '../errors/describeServiceError';
import { rethrown, ServiceError } from '../errors/ServiceError';
import { UserError } from '../errors/UserError';
import type { ServiceClient } from '../service/ServiceClient';

/**
 * Throws a `UserError` if the account has fewer than `minimumCredits`, or if that can't be found out.
 * An unlimited account always has enough; without a minimum nothing is sent. `what` is not started then.
 */
export async function requireCredits(
	client: ServiceClient,
	minimumCredits: number | undefined,
	signal: AbortSignal,
	what = 'nothing',
): Promise<void> {
	if (minimumCredits === undefined) return;

	const credits = toCredits(await readBalance(client, signal, what));
	if (credits === undefined) {
		throw new UserError(`The account's credits could not be read, so ${what} was started`, {
			description: "Try again later, or remove the option 'Minimum Credits'.",
		});
	}
	if (credits < minimumCredits) {
		throw new UserError(
			`The account has ${credits} credits, fewer than 'Minimum Credits' (${minimumCredits}), so ${what} was started`,
			{ description: "Add credits in the service's web platform, or lower 'Minimum Credits'." },
		);
	}
}

/** The credits in a balance: infinite for an unlimited account, undefined if it doesn't say. */
export function toCredits({ unlimited, credit_balance }: IDataObject): number | undefined {
	if (unlimited === true) return Infinity;
	return typeof credit_balance === 'number' ? credit_balance : undefined;
}

async function readBalance(client: ServiceClient, signal: AbortSignal, what: string) {
	try {
		return await client.getCreditBalance({ signal, retry: true });
	} catch (error) {
		if (!(error instanceof ServiceError) || error.kind === 'aborted') throw rethrown(error);
		const { message, details } = describeServiceError(error);
		throw rethrown(
			new UserError(
				`The account's credits could not be read, so ${what} was started. ${message}`,
				details,
			),
		);
	}
}
