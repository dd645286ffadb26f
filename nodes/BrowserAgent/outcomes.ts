import type { INodeExecutionData } from 'n8n-workflow';

import { UserError, withMore } from '../errors/UserError';
import { toNodeError, type ProblemPlace } from '../errors/toNodeError';
import type { HandedOver, OutputItem } from './operations/operation';

/** What became of an input item, or of a part of it. */
export type Outcome = OutputItem | { error: unknown };

/** The node's output: the outcomes of all input items, in their order, each paired with its own. */
export function toItems(
	outcomes: Array<Array<Outcome | HandedOver>>,
	place: ProblemPlace,
): INodeExecutionData[] {
	return outcomes.flatMap((results, itemIndex) =>
		results.flatMap((result) => {
			if ('handedOver' in result) return [];
			return 'error' in result
				? [toErrorItem(result.error, { ...place, itemIndex })]
				: [{ ...result, pairedItem: { item: itemIndex } }];
		}),
	);
}

/** A problem with the IDs of all jobs that were started beside the one it is about. */
export function withStartedJobs(problem: unknown, jobIds: string[]): unknown {
	if (!(problem instanceof UserError)) return problem;
	if (jobIds.every((jobId) => problem.details.jobIds?.includes(jobId))) return problem;
	return withMore(problem, `Jobs started by this node so far: ${jobIds.join(', ')}.`, jobIds);
}

// n8n sends an item with `error` to the error output, and makes its message the item's JSON.
function toErrorItem(
	error: unknown,
	place: ProblemPlace & { itemIndex: number },
): INodeExecutionData {
	const nodeError = toNodeError(error, place);
	return {
		json: { error: nodeError.message },
		error: nodeError,
		pairedItem: { item: place.itemIndex },
	};
}
