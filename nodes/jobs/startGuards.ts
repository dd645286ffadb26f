import { anySignal } from '../async/abortSignals';
import { rethrow } from '../async/rethrow';
import { NodeFailure } from '../errors/NodeFailure';
import { ServiceError } from '../errors/ServiceError';
import { toNodeFailure } from '../errors/toNodeFailure';
import { toCredits } from '../service/ServiceClient';
import type { RunBrowserAgentRequest, StartRequest } from '../service/types';
import type { Work } from './Work';

/**
 * Records that a start was refused for the account. After a 401 from the service itself, all later
 * starts on the account fail; after a 402, those with the same model or saved workflow, since each
 * has its own price. Any other error may be about the item alone.
 */
export function recordRefusedForAccount(work: Work, request: StartRequest, error: unknown): void {
	if (!(error instanceof ServiceError)) return;
	recordUnauthorized(work, error);
	const { run, client } = work;
	if (error.kind !== 'insufficientCredits' || error.facts.isFromService !== true) return;
	run.refusedStarts.set(priceKey(client.account.id, request), error);
}

/** Records a 401 from the service itself, to a start or to a read of the balance before it. */
function recordUnauthorized({ run, client }: Pick<Work, 'run' | 'client'>, error: ServiceError) {
	if (error.isOwnUnauthorized) run.refusedStarts.set(client.account.id, error);
}

/** Throws the error of an earlier start if this one, too, would be refused for the account. */
export function throwIfRefusedForAccount({ run, client }: Work, request: StartRequest): void {
	const { id } = client.account;
	const error = run.refusedStarts.get(id) ?? run.refusedStarts.get(priceKey(id, request));
	if (error !== undefined) throw error;
}

/** Returns the same key for starts of the same account whose steps have the same price. */
function priceKey(accountId: string, { path, body }: StartRequest): string {
	const { action_selection_model: model = '' } = body as Partial<RunBrowserAgentRequest>;
	// The path contains the ID of a saved workflow.
	return `${accountId} ${path} ${model}`;
}

const MAX_READ_MS = 10_000;
// Leaves time for a response.
const MAX_QUEUE_MS = 8_000;

/**
 * Reads the balance of the item's account, unless `minimum` is 0. Throws a `NodeFailure` if the
 * account has fewer credits than `minimum`, and if its balance isn't a number or can't be read
 * within ten seconds. Throws the `ServiceError` `aborted` when the run ends.
 */
export async function requireCredits(work: Work, minimum: number): Promise<void> {
	if (minimum === 0) return;

	const credits = await readCredits(work);
	if (credits === undefined) throw unknownCreditsError('the response contains no credit balance');
	if (credits >= minimum) return;
	throw new NodeFailure(
		`The account has ${credits} credits, fewer than 'Minimum Credits' (${minimum}), so the job was not started`,
		{
			description:
				"Add credits (in the local service, raise SERVICE_CREDITS), or lower 'Minimum Credits'.",
		},
	);
}

async function readCredits({ run, client }: Work): Promise<number | undefined> {
	const { clock, executionId } = run;
	const signal = anySignal(run.signal, clock.timeout(MAX_READ_MS));
	const options = { group: executionId, signal, maxQueueMs: MAX_QUEUE_MS, retry: true };
	try {
		return toCredits(await client.getCreditBalance(options));
	} catch (error) {
		if (!(error instanceof ServiceError) || run.signal.aborted) rethrow(error);
		recordUnauthorized({ run, client }, error);
		if (error.kind === 'aborted') {
			throw unknownCreditsError(`the service did not respond within ${MAX_READ_MS / 1000} s`);
		}
		const { message, details } = toNodeFailure(error);
		throw unknownCreditsError(message, details.description, error);
	}
}

function unknownCreditsError(
	reason: string,
	description = "Try again later, or remove the option 'Minimum Credits'.",
	cause?: unknown,
): NodeFailure {
	return new NodeFailure(
		`The credit balance could not be read, so the job was not started: ${reason}`,
		{ description },
		cause,
	);
}
