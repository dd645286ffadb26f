import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { describeServiceError, type CallSubject } from './describeServiceError';
import { UserError } from './UserError';
import { ServiceError } from './ServiceError';

/** Where a problem happened. */
export interface ProblemPlace {
	node: INode;
	/** Unset: it is about the whole node, not about one item. */
	itemIndex?: number;
	/** A language model reads the message only, so the description has to be in it. */
	isTool?: boolean;
}

/**
 * What the user reads: a problem with words, or a `ServiceError` that gets them here, tied to node
 * and item. Anything else is a bug of ours, or an error of n8n's own, and keeps its message.
 */
export function toNodeError(
	error: unknown,
	place: ProblemPlace,
	about: CallSubject = {},
): NodeOperationError | NodeApiError {
	const problem = toUserError(error, about);
	if (problem === undefined) {
		if (error instanceof NodeOperationError || error instanceof NodeApiError) return error;
		return new NodeOperationError(place.node, asError(error), { itemIndex: place.itemIndex });
	}

	const { description, jobIds, statusCode, failure, isStop } = problem.details;
	const hasAllInMessage = place.isTool === true && description !== undefined;
	const words = hasAllInMessage ? `${problem.message}. ${description}` : problem.message;
	// The American spelling in a message makes n8n report the whole run as stopped by the user.
	const message = isStop === true ? words : words.replace(/cancel(?=ed)/gi, '$&l');
	const options = {
		message,
		description: hasAllInMessage ? undefined : description,
		itemIndex: place.itemIndex,
		failure,
	};

	const nodeError =
		statusCode === undefined
			? new NodeOperationError(place.node, message, options)
			: new NodeApiError(place.node, {}, { ...options, httpCode: String(statusCode) });
	// n8n puts words of its own in place of a message that has a code like ECONNREFUSED anywhere in
	// it, and a job's reason may: with them the job's ID would be gone.
	nodeError.message = message;
	if (jobIds !== undefined) nodeError.context.jobIds = jobIds;
	return nodeError;
}

/** The problem in an error, put in words if it is a `ServiceError`; undefined for any other error. */
export function toUserError(error: unknown, about: CallSubject = {}): UserError | undefined {
	if (error instanceof UserError) return error;
	if (error instanceof ServiceError) return describeServiceError(error, about);
	if (isBaseUrlError(error)) {
		return new UserError(error.message, {
			description: error.description,
			failure: { cause: 'configuration-invalid' },
		});
	}
	return undefined;
}

/** An error in words, for a log. */
export function toWords(error: unknown): string {
	return toUserError(error)?.message ?? asError(error).message;
}

// By shape, since `errors/` imports nothing of `client/`.
function isBaseUrlError(error: unknown): error is Error & { description: string } {
	return error instanceof Error && error.name === 'BaseUrlError' && 'description' in error;
}

function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}
