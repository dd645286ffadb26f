import { asFields } from '../../../api/operations/bodyFields';
import { type Reply, bufferContent, contentOf, errorReply } from '../../../api/reply';
import type { EndpointName, Fault } from '../types';

const READ_ENDPOINTS = new Set<EndpointName>([
	'getJob',
	'getJobFiles',
	'getCreditBalance',
	'getHealth',
	'file',
]);

/** Stops the body after some bytes, then breaks the connection or leaves it open without data. */
export interface Truncation {
	afterBytes: number;
	breakConnection: boolean;
}

/** What happens in response to a request. */
export type Answer =
	| { kind: 'reply'; reply: Reply; truncation?: Truncation }
	/** `status` is that of the head, if it has one. */
	| { kind: 'raw'; head: string; body: Buffer; status?: number }
	/** Nothing is sent, until the client disconnects. */
	| { kind: 'silence' }
	| { kind: 'reset' }
	/** The request did not even arrive. */
	| { kind: 'refused' };

/** Whether the operation runs despite this fault. */
export function runsOperation({ kind, when }: Fault, endpoint: EndpointName): boolean {
	if (kind === 'refuse') return false;
	if (kind === 'delay' || kind === 'fields' || when === 'after') return true;
	return (kind === 'truncate' || kind === 'stall') && READ_ENDPOINTS.has(endpoint);
}

/**
 * Applies a fault to the operation's reply, which is `undefined` when the operation did not run.
 */
export function applyFault(fault: Fault, reply: Reply | undefined): Answer {
	switch (fault.kind) {
		case 'delay':
			return reply ? { kind: 'reply', reply } : { kind: 'silence' };
		case 'fields': {
			const json = { ...asFields(reply?.json), ...asFields(fault.body) };
			const original = { ...reply, status: reply?.status ?? 200, json };
			return { kind: 'reply', reply: withHeaders(original, fault) };
		}
		case 'raw':
			return toRawAnswer(fault);
		case 'hang':
			return { kind: 'silence' };
		case 'reset':
			return { kind: 'reset' };
		case 'refuse':
			return { kind: 'refused' };
		case 'status':
			return { kind: 'reply', reply: withBody(documentedError(fault.status ?? 500), fault) };
		case 'body': {
			const original = { status: fault.status ?? reply?.status ?? 200 };
			return { kind: 'reply', reply: withBody(original, fault) };
		}
		case 'truncate':
		case 'stall': {
			const success = { status: 200, json: { status: 'success' } };
			return truncate(reply ?? withBody(success, fault), fault);
		}
	}
}

function toRawAnswer({ raw: { head, body } = { head: '', body: '' } }: Fault): Answer {
	const [, status] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? [];
	return {
		kind: 'raw',
		head,
		body: Buffer.from(body, 'base64'),
		status: status === undefined ? undefined : Number(status),
	};
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
	return { ...reply, headers: { ...reply.headers, ...fault.headers } };
}

function truncate(reply: Reply, fault: Fault): Answer {
	const afterBytes = Math.floor((contentOf(reply)?.sizeBytes ?? 0) / 2);
	return {
		kind: 'reply',
		reply: withHeaders(reply, fault),
		truncation: { afterBytes, breakConnection: fault.kind === 'truncate' },
	};
}
