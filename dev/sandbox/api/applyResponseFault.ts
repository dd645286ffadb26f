import { type Answer, bufferContent, contentOf, problem } from '../reply';
import type { Cut } from './sendReply';
import type { EndpointName, Fault } from '../types';

const READING = new Set<EndpointName>([
	'getJob',
	'getJobFiles',
	'getCreditBalance',
	'getHealth',
	'file',
]);

/** What goes out in place of the answer, or `reset`. */
export type Spoiled = 'reset' | { answer: Answer; cut?: Cut };

/** Whether the operation is carried out although a fault waits for it. */
export function isCarriedOut(fault: Fault, endpoint: EndpointName): boolean {
	if (fault.when === 'after' || fault.kind === 'delay') return true;
	return (fault.kind === 'truncate' || fault.kind === 'stall') && READING.has(endpoint);
}

/** `real` is the operation's own answer, when it has been carried out. */
export function spoil(fault: Fault, real: Answer | undefined): Spoiled {
	switch (fault.kind) {
		case 'reset':
			return 'reset';
		case 'delay':
			return { answer: withHeaders(real ?? problem(500), fault) };
		case 'status':
			return { answer: withBody(fault, problemOf(fault.status ?? 500)) };
		case 'body':
			return { answer: withBody(fault, { status: fault.status ?? real?.status ?? 200 }) };
		case 'redirect':
			return { answer: redirection(fault) };
		case 'truncate':
		case 'stall':
			return cutOff(fault, real ?? withBody(fault, { status: 200, json: { status: 'success' } }));
	}
}

function problemOf(status: number): Answer {
	return status === 429 || status < 400 ? { status } : problem(status);
}

function redirection(fault: Fault): Answer {
	const answer = withBody(fault, { status: fault.status ?? 302 });
	return { ...answer, headers: { Location: fault.location ?? '/', ...answer.headers } };
}

function withBody(fault: Fault, byDefault: Answer): Answer {
	const answer = withHeaders(byDefault, fault);
	if (fault.body === undefined) return answer;
	const text = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body);
	return { ...answer, content: bufferContent(Buffer.from(text), fault.contentType) };
}

function withHeaders(answer: Answer, fault: Fault): Answer {
	return { ...answer, headers: { ...answer.headers, ...fault.headers }, isUnchecked: true };
}

function cutOff(fault: Fault, real: Answer): Spoiled {
	const sizeBytes = contentOf(real)?.sizeBytes ?? 0;
	const afterBytes = fault.truncateAfterBytes ?? Math.floor(sizeBytes / 2);
	return {
		answer: withHeaders(real, fault),
		cut: { afterBytes, breaksConnection: fault.kind === 'truncate' },
	};
}
