import type { Failure } from 'n8n-workflow';

/** What a `NodeProblem` can say beside its message. */
export interface ProblemDetails {
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
export class NodeProblem extends Error {
	constructor(
		message: string,
		readonly details: ProblemDetails = {},
	) {
		super(message);
		this.name = 'NodeProblem';
	}
}

/**
 * The problem of a stopped execution. Its message holds the word by which n8n tells a stopped run
 * from one that went wrong.
 */
export function stopped(what: string, details: ProblemDetails = {}): NodeProblem {
	return new NodeProblem(`Execution canceled: ${what}`, { ...details, isStop: true });
}

/** The same problem with a further sentence in its description, about further jobs. */
export function withMore(problem: NodeProblem, sentence: string, jobIds: string[]): NodeProblem {
	const { description = '', jobIds: known = [] } = problem.details;
	return new NodeProblem(problem.message, {
		...problem.details,
		description: `${description} ${sentence}`.trim(),
		jobIds: [...new Set([...known, ...jobIds])],
	});
}
