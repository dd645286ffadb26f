import { type Reply, bufferContent, contentOf, errorReply } from '../reply';
import type { EndpointName, Fault } from '../types';
import type { Truncation } from './sendReply';

const READ_ENDPOINTS = new Set<EndpointName>([
	'getJob',
	'getJobFiles',
	'getCreditBalance',
	'getHealth',
	'file',
]);

/** What to send; `reset` breaks the connection instead, `undefined` leaves it open. */
type FaultyResponse = undefined | 'reset' | { reply: Reply; truncation?: Truncation };

/** Whether the operation runs although the request has this fault. */
export function runsOperation(fault: Fault, endpoint: EndpointName): boolean {
	if (fault.when === 'after') return true;
	return (fault.kind === 'truncate' || fault.kind === 'stall') && READ_ENDPOINTS.has(endpoint);
}

/**
 * Applies a fault to the operation's reply, which is `undefined` when the operation did not run.
 */
export function applyResponseFault(fault: Fault, reply: Reply | undefined): FaultyResponse {
	switch (fault.kind) {
		case 'hang':
			return undefined;
		case 'reset':
			return 'reset';
		case 'status':
			return { reply: withBody(documentedError(fault.status ?? 500), fault) };
		case 'body':
			return { reply: withBody({ status: fault.status ?? reply?.status ?? 200 }, fault) };
		case 'truncate':
		case 'stall': {
			const success = { status: 200, json: { status: 'success' } };
			return truncate(reply ?? withBody(success, fault), fault);
		}
	}
}

// The document gives 429 no body.
function documentedError(status: number): Reply {
	return status === 429 || status < 400 ? { status } : errorReply(status);
}

function withBody(original: Reply, fault: Fault): Reply {
	const reply = withHeaders(original, fault);
	if (fault.body === undefined) return reply;
	const text = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body);
	return { ...reply, content: bufferContent(Buffer.from(text), fault.contentType) };
}

function withHeaders(reply: Reply, fault: Fault): Reply {
	return { ...reply, headers: { ...reply.headers, ...fault.headers }, skipValidation: true };
}

function truncate(reply: Reply, fault: Fault): FaultyResponse {
	const afterBytes = Math.floor((contentOf(reply)?.sizeBytes ?? 0) / 2);
	return {
		reply: withHeaders(reply, fault),
		truncation: { afterBytes, breakConnection: fault.kind === 'truncate' },
	};
}
