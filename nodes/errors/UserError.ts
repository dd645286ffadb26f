import type { Failure } from 'n8n-workflow';

import type { JobDetails } from './JobDetails';

/** A page where the user can see more, or act. */
export interface ErrorLink {
	/** What it shows, e.g. "History". */
	name: string;
	url: string;
}

/** What a `UserError` can say besides its message. */
export interface UserErrorDetails {
	description?: string;
	/** They stand after the description, whatever is added to it. */
	links?: ErrorLink[];
	/** The jobs it is about; they may be running. */
	jobIds?: string[];
	/** The job of the item that has failed, as far as more than its ID is known. */
	job?: JobDetails;
	/** The service's status code, if its response is the reason. */
	statusCode?: number;
	/** Tells n8n's scheduler whether and when to try again. */
	failure?: Failure;
	/** Whether the only reason is that the execution was stopped. */
	isStop?: boolean;
	/** The input item it is about. */
	itemIndex?: number;
}

/**
 * An error with a message for the user, not yet tied to a node and an item: `toNodeError` ties it.
 */
export class UserError extends Error {
	constructor(
		message: string,
		readonly details: UserErrorDetails = {},
		cause?: unknown,
	) {
		super(message, { cause });
		this.name = 'UserError';
	}

	/** The same error with more details. */
	with(details: UserErrorDetails): UserError {
		return new UserError(this.message, { ...this.details, ...details }, this);
	}
}

/**
 * An error that is neither ours nor one of n8n's for users. Its cause is logged where it leaves the
 * nodes.
 */
export class UnexpectedError extends UserError {}

/** The same error with one more sentence in its description, and more job IDs. */
export function addToError(error: UserError, sentence: string, jobIds: string[]): UserError {
	const { description = '', jobIds: known = [] } = error.details;
	return error.with({
		description: `${description} ${sentence}`.trim(),
		jobIds: [...new Set([...known, ...jobIds])],
	});
}
