import type { Failure } from 'n8n-workflow';

import { withFullStop } from './plainText';

/** What a `NodeFailure` can say besides its message. */
export interface NodeFailureDetails {
	description?: string;
	/**
	 * The URLs of pages where the user can see more, or act, by their names, e.g. "History". Always
	 * shown after the description, even if a sentence is added to that.
	 */
	links?: Record<string, string>;
	/** The IDs of the jobs concerned, which may be running. */
	jobIds?: string[];
	/** The name of the file concerned, redacted and short. */
	filename?: string;
	/** The service's status code, if its response is the reason. */
	statusCode?: number;
	/** Tells n8n's scheduler whether and when to try again. */
	failure?: Failure;
	/** Whether the only reason is that the execution was stopped. */
	isStopped?: boolean;
	/** Whether the error says how the job was seen just now. Default: the job may have changed. */
	wasJobSeen?: boolean;
	/** Whether no retry can change it, because the job's end is the reason. */
	isLasting?: boolean;
	/**
	 * Whether it was caused by an error that neither this package nor n8n has created for users.
	 * `logUnexpected` logs that once, where this error leaves the nodes.
	 */
	isUnexpected?: boolean;
	/** The index of the input item concerned. */
	itemIndex?: number;
}

/**
 * An error with a message for the user, whatever its cause: a wrong parameter, a failure of the
 * service or a Stop. `toNodeError` ties it to a node and an item.
 */
export class NodeFailure extends Error {
	constructor(
		message: string,
		readonly details: NodeFailureDetails = {},
		cause?: unknown,
	) {
		super(message, { cause });
		this.name = 'NodeFailure';
	}

	/** Returns a copy, caused by this error, in which `details` replace those of the same name. */
	with(details: NodeFailureDetails): NodeFailure {
		return new NodeFailure(this.message, { ...this.details, ...details }, this);
	}

	/** Returns a copy, caused by this error, with sentences and job IDs added to its own. */
	withMore(sentences: string[], jobIds: string[]): NodeFailure {
		const { description = '', jobIds: known = [] } = this.details;
		// What the description quotes at its end may have no full stop.
		const all = [withFullStop(description), ...sentences].filter((one) => one !== '');
		return this.with({
			description: all.join(' '),
			jobIds: [...new Set([...known, ...jobIds])],
		});
	}
}

/** Creates the error for an unusable setting. It tells n8n's scheduler not to retry. */
export function configurationError(message: string, description: string): NodeFailure {
	return new NodeFailure(message, { description, failure: { cause: 'configuration-invalid' } });
}

/** Creates the error for a stopped execution. n8n recognizes it by the word "canceled". */
export function stoppedError(what: string): NodeFailure {
	return new NodeFailure(`Execution canceled: ${what}`, { isStopped: true });
}
