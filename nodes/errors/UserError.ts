import type { Failure } from 'n8n-workflow';

/** What a `UserError` can say beside its message. */
export interface UserErrorDetails {
	/** What the user can do about it. */
	description?: string;
	/** The jobs it is about; they may be running. */
	jobIds?: string[];
	/** What the service answered, where that is the reason. */
	statusCode?: number;
	/** What n8n's scheduler is told of it, so that it knows whether and when to try again. */
	failure?: Failure;
	/** Whether it is only that the execution was stopped. */
	isStop?: boolean;
}

/**
 * Something the user has to know, before it is tied to a node and an item: a field that cannot be
 * used, a job that did not succeed, a wait that ended too soon. `toNodeError` ties it.
 */
export class UserError extends Error {
	constructor(
		message: string,
		readonly details: UserErrorDetails = {},
	) {
		super(message);
		this.name = 'UserError';
	}
}

/**
 * The problem of a stopped execution. Its message holds the word by which n8n tells a stopped run
 * from one that went wrong.
 */
export function stopped(what: string, details: UserErrorDetails = {}): UserError {
	return new UserError(`Execution canceled: ${what}`, { ...details, isStop: true });
}

/** The same problem with a further sentence in its description, about further jobs. */
export function withMore(problem: UserError, sentence: string, jobIds: string[]): UserError {
	const { description = '', jobIds: known = [] } = problem.details;
	return new UserError(problem.message, {
		...problem.details,
		description: `${description} ${sentence}`.trim(),
		jobIds: [...new Set([...known, ...jobIds])],
	});
}
