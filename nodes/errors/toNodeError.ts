import { NodeApiError, NodeError, NodeOperationError, type INode } from 'n8n-workflow';

import { describeServiceError, withFile, type CallSubject } from './describeServiceError';
import { withoutMarkup } from './plainText';
import { messageOf, ServiceError } from './ServiceError';
import { UserError } from './UserError';

/** Which node an error is of, and who reads it. */
export interface ErrorPlace {
	node: INode;
	/** A language model sees the message only, so the description becomes part of it. */
	isTool?: boolean;
	/** Removes secrets from the text. */
	redact?: (text: string) => string;
}

/**
 * The only way in which an error leaves the nodes: in words, tied to node and item, redacted and
 * without markup. An error that is not ours keeps its message.
 */
export function toNodeError(
	error: unknown,
	place: ErrorPlace,
	subject: CallSubject = {},
): NodeOperationError | NodeApiError {
	if (error instanceof NodeOperationError || error instanceof NodeApiError) return error;
	const userError = toUserError(error, subject);
	const { jobIds = [], statusCode, failure, itemIndex } = userError.details;
	const { message, description } = toSafeWords(userError, place);
	const options = { message, description, itemIndex, failure };

	const nodeError =
		statusCode === undefined
			? new NodeOperationError(place.node, message, options)
			: new NodeApiError(place.node, {}, { ...options, httpCode: String(statusCode) });
	// n8n replaces a message that contains a code like ECONNREFUSED anywhere, as a job's reason may: the
	// job's ID would be lost.
	nodeError.message = message;
	if (jobIds.length > 0) nodeError.context.jobIds = jobIds;
	return nodeError;
}

/** The words of an error as they leave the nodes: redacted, without markup, spelled as n8n needs it. */
export function toSafeWords(
	{ message, details }: UserError,
	{ isTool, redact }: Omit<ErrorPlace, 'node'>,
): { message: string; description?: string } {
	const { description, jobIds = [], isStop } = details;
	const safe = (text: string) => withoutMarkup(redact?.(text) ?? text);
	const words = safe(isStop === true ? message : respelled(message, jobIds));
	const advice = description === undefined ? undefined : safe(description);
	if (isTool !== true || advice === undefined) return { message: words, description: advice };
	return { message: `${words}. ${respelled(advice, jobIds)}` };
}

/** Any error as a `UserError`: a `ServiceError` in words, anything else with its own message. */
export function toUserError(error: unknown, subject: CallSubject = {}): UserError {
	if (error instanceof UserError) {
		if (subject.filename === undefined) return error;
		return new UserError(withFile(error.message, subject), error.details);
	}
	if (error instanceof ServiceError) return describeServiceError(error, subject);
	const { jobId } = subject;
	const description = error instanceof NodeError ? (error.description ?? undefined) : undefined;
	const jobIds = jobId === undefined ? undefined : [jobId];
	return new UserError(withFile(messageOf(error), subject), { description, jobIds });
}

// With the American spelling in a message, n8n reports the whole run as canceled by the user. Job IDs
// stay as they are.
function respelled(text: string, jobIds: string[]): string {
	const [jobId, ...others] = jobIds;
	if (jobId === undefined) return text.replace(/cancel(?=ed)/gi, '$&l');
	return text
		.split(jobId)
		.map((part) => respelled(part, others))
		.join(jobId);
}
