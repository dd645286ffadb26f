import { ServiceError } from '../errors/ServiceError';
import type { StartRequest } from '../service/startRequests';
import type { RunBrowserAgentRequest } from '../service/types';
import type { Work } from './Work';

/**
 * Records that the service refused a start. After a 401 of the service itself, all later starts on
 * the account fail; after a 402, those with the same model or saved workflow, since each has its
 * own price. Any other error may be about the item alone.
 */
export function recordRefusal(
	{ run: { refusedStarts }, client }: Work,
	request: StartRequest,
	error: unknown,
): void {
	if (!(error instanceof ServiceError) || error.facts.isFromService !== true) return;
	const { name } = client.account;
	if (error.kind === 'unauthorized') refusedStarts.set(name, error);
	if (error.kind === 'insufficientCredits') refusedStarts.set(priceKey(name, request), error);
}

/** Throws the error of an earlier start if this one would certainly be refused, too. */
export function throwIfRefused({ run, client }: Work, request: StartRequest): void {
	const { name } = client.account;
	const error = run.refusedStarts.get(name) ?? run.refusedStarts.get(priceKey(name, request));
	if (error !== undefined) throw error;
}

/** Returns the same key for starts of the same account whose steps have the same price. */
function priceKey(accountName: string, { path, body }: StartRequest): string {
	const { action_selection_model: model = '' } = body as Partial<RunBrowserAgentRequest>;
	// The path contains the ID of a saved workflow.
	return `${accountName} ${path} ${model}`;
}
