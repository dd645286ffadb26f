import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { NodeProblem } from '../../errors/NodeProblem';
import { toNodeError, toProblem, type ProblemPlace } from '../../errors/toNodeError';
import { concludeWait } from '../concludeWait';
import { followJob } from '../followJob';
import type { HandedOver, SharedRun } from '../operations/operation';
import { toItems, type Outcome } from '../outcomes';
import { toFinishedItem } from '../toFinishedItem';
import { canHandOver, handOver } from './handOver';
import type { StoredItem } from './state';

// Most jobs end within it, and need no database.
const STAY_MS = 60_000;

/**
 * The durable wait of one node run: the node waits itself for a minute after its last job was begun,
 * and then hands what is still unfinished to n8n's own engine.
 */
export class DurableWait {
	private readonly leaving = new AbortController();

	private readonly ended = new AbortController();

	private readonly isPossible: boolean;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly place: ProblemPlace,
		private readonly run: SharedRun,
	) {
		this.isPossible = canHandOver(context, place.isTool ?? false);
	}

	/** The signal for waits to be handed over; unset where n8n cannot take them. */
	get leave(): AbortSignal | undefined {
		if (!this.isPossible) this.sayThatItIsNot();
		return this.isPossible ? this.leaving.signal : undefined;
	}

	/** No further job is begun from here on. */
	allHaveBegun(): void {
		const { clock, signal } = this.run;
		void clock.sleep(STAY_MS, signal, this.ended.signal).then(() => this.leaving.abort());
	}

	/** The node's own waiting is over. */
	end(): void {
		this.ended.abort();
	}

	/**
	 * Hands over what is unfinished, and returns the node's output: n8n replaces it when all is done.
	 * When n8n does not take it after all, the node waits on.
	 */
	async goOn(outcomes: Array<Array<Outcome | HandedOver>>): Promise<INodeExecutionData[]> {
		const results = outcomes.flat();
		try {
			return await handOver(this.context, results.map(toStored));
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			this.run.logger.warn(`Browser Agent: n8n could not keep the wait: ${message}`);
			this.sayThatItIsNot();
		}
		const stayed = await Promise.all(
			outcomes.map(
				async (results, itemIndex) =>
					await Promise.all(results.map(async (result) => await this.stay(result, itemIndex))),
			),
		);
		return toItems(stayed, this.place);
	}

	private async stay(outcome: Outcome | HandedOver, itemIndex: number): Promise<Outcome> {
		if (!('handedOver' in outcome)) return outcome;
		const { watched, options } = outcome.handedOver;
		const { run } = this;
		try {
			const result = await followJob(run, watched, options.wait);
			const followed = await concludeWait(run, watched, options.wait, result);
			return await toFinishedItem(run, followed, options);
		} catch (error) {
			if (this.context.continueOnFail() && !run.signal.aborted) return { error };
			throw toNodeError(error, { ...this.place, itemIndex });
		}
	}

	private sayThatItIsNot(): void {
		this.context.addExecutionHints?.({
			message:
				"'Free the Worker While Waiting' is not possible here, so the node has waited itself. It needs a saved workflow and a newer version of n8n, and does not work for a tool of an agent.",
			type: 'info',
			location: 'outputPane',
		});
	}
}

function toStored(outcome: Outcome | HandedOver): StoredItem {
	if ('handedOver' in outcome) return { ...outcome, result: {} };
	if (!('error' in outcome)) return { output: outcome };
	const { message, details } = toProblem(outcome.error) ?? new NodeProblem(String(outcome.error));
	return { problem: { message, details } };
}
