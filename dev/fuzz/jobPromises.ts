import type { INodeExecutionData, NodeApiError } from 'n8n-workflow';

import { withoutMarkup } from '../../nodes/errors/plainText';
import type { LoggedRequest } from '../sandbox/types';

// The promises about jobs that two programs check: the fuzzer against hostile responses, and the
// model of jobs (test/nodes/BrowserAgent/jobModel.test.ts) in any order of events.

/** What the response to a request proves; of a start, `done`: it has started a job. */
export type Outcome = 'done' | 'nothing' | 'unclear';

const COMMANDS = ['pauseJob', 'resumeJob'];
// Only these ask to send the same request elsewhere.
const SAME_REQUEST_REDIRECTS = [301, 307, 308];
const REQUEST_TIMEOUT = 408;

/**
 * Returns what the response to a request proves by its status and its fault. Raw bytes aren't read:
 * they prove something only by their status.
 */
export function outcomeOf({
	endpoint,
	fault,
	answered = 0,
}: Pick<LoggedRequest, 'endpoint' | 'fault' | 'answered'>): Outcome {
	const isRejected = answered >= 400 && answered < 500 && answered !== REQUEST_TIMEOUT;
	if (isRejected || SAME_REQUEST_REDIRECTS.includes(answered)) return 'nothing';
	if (answered < 200 || answered >= 300) return 'unclear';

	// The response to a command is not documented: any body of a 2xx response will do.
	const isCommand = COMMANDS.includes(endpoint);
	switch (fault?.kind) {
		case 'truncate':
		case 'stall':
		case 'raw':
			return 'unclear';
		case 'body':
			return isCommand && !reportsError(fault.body) ? 'done' : 'unclear';
		default:
			return 'done';
	}
}

function reportsError(body: unknown): boolean {
	return (body as { status?: unknown } | undefined)?.status === 'error';
}

/** What a run of a node has put out. */
export interface Output {
	errors: unknown[];
	items: INodeExecutionData[];
}

/** Where the ID of a job is looked for. `undefined`: it can't be there. */
interface Places {
	log: string[];
	highlighted: Record<string, string> | undefined;
	output: Output | undefined;
}

/** Returns the places that lack the ID of a job that the node has started. */
export function placesWithout(jobId: string, { log, highlighted, output }: Places): string[] {
	const shownId = withoutMarkup(jobId);
	const places: Record<string, boolean> = {
		log: log.some((line) => line.includes(`started job ${shownId}`)),
	};
	if (highlighted !== undefined) {
		places['highlighted data'] = Object.values(highlighted).join().includes(jobId);
	}
	if (output !== undefined) {
		const { errors, items } = output;
		const isIn = (text: string) => text.includes(jobId) || text.includes(shownId);
		places['output or error'] = isIn(readableText(output));
		places["an item or an error's jobIds"] =
			isIn(readableText({ items, errors: [] })) ||
			errors.some((error) => jobIdsOf(error).includes(jobId));
	}
	return Object.entries(places).flatMap(([place, isThere]) => (isThere ? [] : [place]));
}

/** Returns all that a user reads of a run of a node: its errors and its items. */
export function readableText({ errors, items }: Output): string {
	const textOf = (error: unknown) => {
		const { message, description } = (error ?? {}) as Partial<NodeApiError>;
		return [message, description];
	};
	return JSON.stringify([
		errors.map(textOf),
		items.map(({ json, error }) => [json, textOf(error)]),
	]);
}

function jobIdsOf(error: unknown): unknown[] {
	const { context } = (error ?? {}) as Partial<NodeApiError>;
	return (context?.jobIds ?? []) as unknown[];
}
