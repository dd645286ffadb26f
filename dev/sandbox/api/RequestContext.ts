import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Account } from '../state/accounts';
import type { Answer } from '../reply';
import type { LogEntry } from '../state/RequestLog';
import { send } from './sendReply';
import { isCarriedOut, spoil } from './applyResponseFault';
import type { EndpointName, Fault } from '../types';
import type { World } from '../state/SandboxState';

/** A request on its way through the sandbox, and what has become known of it so far. */
export interface Visit {
	world: World;
	entry: LogEntry;
	endpoint: EndpointName | 'unknown';
	/** The job or workflow ID of the path. */
	id: string;
	account?: Account;
	/** Spoils the answer. */
	fault?: Fault;
	body?: unknown;
}

/** Notes that a request has arrived. */
export function openVisit(
	world: World,
	request: IncomingMessage,
	response: ServerResponse,
	{ endpoint, id, jobId }: Pick<Visit, 'endpoint' | 'id'> & { jobId?: string },
): Visit {
	world.counting.arrived(endpoint);
	const entry = world.log.add(request, endpoint, jobId, world.clock);
	response.on('error', () => response.destroy());
	response.once('close', () => {
		if (entry.answered === 'pending') entry.answered = 'abandoned';
	});
	return { world, entry, endpoint, id };
}

/**
 * Lets the fault that waits for this call, if any, do its part before the operation.
 * Returns whether the operation is carried out; if not, the answer has been given.
 */
export async function meetFault(visit: Visit, response: ServerResponse): Promise<boolean> {
	const { world, endpoint, entry } = visit;
	const fault = endpoint === 'unknown' ? undefined : world.faults.take(endpoint, entry.jobId);
	if (!fault || endpoint === 'unknown') return true;
	world.counting.counters.faults++;
	if (fault.kind === 'delay' && fault.when !== 'after') {
		await world.clock.pause(fault.delayMs);
		return true;
	}
	visit.fault = fault;
	if (isCarriedOut(fault, endpoint)) return true;
	await deliver(visit, response);
	return false;
}

/** Gives the answer, spoiled when the visit has met a fault. */
export async function deliver(
	{ world, entry, fault }: Visit,
	response: ServerResponse,
	answer?: Answer,
): Promise<void> {
	if (fault) await world.clock.pause(fault.delayMs);
	if (response.destroyed) return;
	const outcome = fault ? spoil(fault, answer) : answer && { answer };
	if (!outcome) return;
	if (outcome === 'reset') {
		entry.answered = 'reset';
		response.socket?.resetAndDestroy();
		return;
	}
	entry.answered = outcome.answer.status;
	await send(response, outcome.answer, outcome.cut);
}
