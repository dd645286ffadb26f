import { NodeApiError, NodeOperationError, type INode, type Logger } from 'n8n-workflow';

import { NodeFailure, type NodeFailureDetails } from './NodeFailure';
import { toHtmlLink, withFullStop, withoutMarkup } from './plainText';
import { causesOf, messageOf } from './ServiceError';
import type { FailureText } from './serviceErrorKinds';
import { toNodeFailure, type CallSubject } from './toNodeFailure';

// n8n reports a whole run as canceled by the user if the message of its error contains this.
const STOP_WORD = 'canceled';

/** Where an error comes from, and how to make its text safe to show. */
export interface ErrorSource {
	/** The node that the error names. */
	node: INode;
	/**
	 * Whether the node is a tool of an AI agent. A language model sees the message only, so the
	 * description becomes part of it.
	 */
	isTool?: boolean;
	/** Removes the secrets that this run knows. */
	redact: (text: string) => string;
	logger: Pick<Logger, 'error'>;
}

/**
 * Converts any error to the n8n error to throw: tied to node and item, redacted and without markup.
 * Only that of an unexpected error has a cause.
 * Returns a `NodeOperationError` or `NodeApiError` unchanged. Logs an unexpected error.
 */
export function toNodeError(
	error: unknown,
	source: ErrorSource,
	subject: CallSubject = {},
): NodeOperationError | NodeApiError {
	if (error instanceof NodeOperationError || error instanceof NodeApiError) return error;
	const described = toNodeFailure(error, subject);
	logUnexpected(described, source);
	const { jobIds = [], statusCode, failure, itemIndex } = described.details;
	const { isStopped = false, isUnexpected = false } = described.details;
	const { message: text, description } = toSafeText(described, source);
	const message = isStopped ? text : withoutStopWord(text, jobIds);
	const options = { message, description, itemIndex, failure };

	const nodeError =
		statusCode === undefined
			? new NodeOperationError(source.node, message, options)
			: new NodeApiError(source.node, {}, { ...options, httpCode: String(statusCode) });
	// n8n replaces any message that contains a code such as ECONNREFUSED. A job's failure reason may
	// contain one, and the job's ID would then be lost.
	nodeError.message = message;
	// n8n logs each cause at level error, with its stack.
	nodeError.cause = isUnexpected ? toSafeCause(described, source) : undefined;
	if (jobIds.length > 0) nodeError.context.jobIds = jobIds;
	return nodeError;
}

/**
 * Returns the text of an error redacted and without markup, with the links at the end of the
 * description, as HTML that n8n's editor renders. For a tool, all of it is plain text in the
 * message.
 */
export function toSafeText(
	error: NodeFailure,
	source: Pick<ErrorSource, 'isTool' | 'redact'>,
): FailureText {
	const { message, details } = toSafeParts(error, source);
	const { description = '', links = {} } = details;
	const isTool = source.isTool === true;
	const shown = Object.entries(links).map(([name, url]) => {
		return `${name}: ${isTool ? url : toHtmlLink(url)}`;
	});
	const advice = [description, ...shown].join(' ').trim();
	if (advice === '') return { message };
	if (isTool) return { message: `${withFullStop(message)} ${advice}` };
	return { message, description: advice };
}

/** Returns the parts of an error, their text redacted and without markup. */
export function toSafeParts(
	{ message, details }: NodeFailure,
	{ redact }: Pick<ErrorSource, 'redact'>,
): { message: string; details: NodeFailureDetails } {
	const { description, links } = details;
	const safe = (text: string) => withoutMarkup(redact(text));
	return {
		message: safe(message),
		details: {
			...details,
			description: description === undefined ? undefined : safe(description),
			links:
				links && Object.fromEntries(Object.entries(links).map(([name, url]) => [name, safe(url)])),
		},
	};
}

/** Respells the word by which n8n would recognize a Stop, but not in the ID of a job. */
function withoutStopWord(message: string, jobIds: string[]): string {
	const kept = jobIds.filter((jobId) => jobId.includes(STOP_WORD));
	const words = message.split(' ').map((word) => {
		const isId = kept.some((jobId) => word.includes(jobId));
		return isId ? word : word.replaceAll(STOP_WORD, 'cancelled');
	});
	return words.join(' ');
}

/**
 * Logs the stack of an unexpected error, and nothing for any other. Call it exactly once, where the
 * error leaves the nodes.
 */
export function logUnexpected(error: NodeFailure, { logger }: Pick<ErrorSource, 'logger'>): void {
	if (error.details.isUnexpected !== true) return;
	logger.error(`Browser Agent: unexpected error: ${stackOf(originOf(error))}`);
}

/** Returns what was thrown before it became an error of ours. */
function originOf(error: unknown): unknown {
	const isOurs = error instanceof NodeFailure && error.cause !== undefined;
	return isOurs ? originOf(error.cause) : error;
}

/** Returns a redacted copy of the root cause, because n8n serializes causes in full. */
function toSafeCause(error: NodeFailure, { redact }: ErrorSource): Error {
	const origin = causesOf(error).at(-1);
	const copy = new Error(redact(messageOf(origin)));
	copy.stack = redact(stackOf(origin));
	return copy;
}

function stackOf(error: unknown): string {
	return (error instanceof Error ? error.stack : undefined) ?? messageOf(error);
}
