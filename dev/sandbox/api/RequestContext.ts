import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Reply } from '../reply';
import type { Account } from '../state/accounts';
import type { LogEntry } from '../state/RequestLog';
import type { SandboxState } from '../state/SandboxState';
import type { EndpointName, Fault } from '../types';
import { applyResponseFault, runsOperation } from './applyResponseFault';
import { sendReply } from './sendReply';

/** A request and what is known about it so far. */
export interface RequestContext {
	state: SandboxState;
	logEntry: LogEntry;
	endpoint: EndpointName | 'unknown';
	/** The job or workflow ID in the path; empty if there is none. */
	id: string;
	account?: Account;
	body?: unknown;
	/** The fault that changes the response. */
	fault?: Fault;
}

/** Counts and logs a request that has just arrived. */
export function createRequestContext(
	state: SandboxState,
	request: IncomingMessage,
	response: ServerResponse,
	{ endpoint, id, jobId }: Pick<RequestContext, 'endpoint' | 'id'> & { jobId?: string },
): RequestContext {
	state.counters.requests[endpoint]++;
	const logEntry = state.requestLog.add(request, endpoint, jobId, state.clock.now());
	response.on('error', () => response.destroy());
	return { state, logEntry, endpoint, id };
}

/** Takes the next matching fault, if any; returns false if it replaces the operation's response. */
export async function injectFault(
	context: RequestContext,
	response: ServerResponse,
): Promise<boolean> {
	const { state, endpoint, logEntry } = context;
	const fault = endpoint === 'unknown' ? undefined : state.faults.take(endpoint, logEntry.jobId);
	if (!fault || endpoint === 'unknown') return true;
	state.counters.faults++;
	context.fault = fault;
	if (runsOperation(fault, endpoint)) return true;
	await respond(context, response);
	return false;
}

/** Sends the reply, or what the fault of the request makes of it. */
export async function respond(
	{ logEntry, fault }: RequestContext,
	response: ServerResponse,
	reply?: Reply,
): Promise<void> {
	if (response.destroyed) return;
	const outcome = fault ? applyResponseFault(fault, reply) : reply && { reply };
	if (!outcome) return;
	if (outcome === 'reset') {
		response.socket?.resetAndDestroy();
		return;
	}

	logEntry.answered = outcome.reply.status;
	await sendReply(response, outcome.reply, outcome.truncation);
}
