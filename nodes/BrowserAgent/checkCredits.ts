import { UserError } from '../errors/UserError';
import { describeServiceError } from '../errors/describeServiceError';
import { asThrown, ServiceError } from '../errors/ServiceError';
import type { ItemRun } from './operations/operation';

/**
 * Asks for the account's credits, once, and throws a `UserError` when there are fewer than
 * `minimumCredits`, or when that cannot be told. An unlimited account always has enough; without a
 * minimum, nothing is asked.
 */
export async function checkCredits(
	{ client, signal }: Pick<ItemRun, 'client' | 'signal'>,
	minimumCredits: number | undefined,
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

async function readBalance(client: ItemRun['client'], signal: AbortSignal) {
	try {
		return await client.getCreditBalance({ signal, repeat: true });
	} catch (error) {
		if (!(error instanceof ServiceError) || error.kind === 'stopped') throw asThrown(error);
		const { message, details } = describeServiceError(error);
		throw asThrown(
			new UserError(
				`The account's credits could not be read, so nothing was started. ${message}`,
				details,
			),
		);
	}
}
