import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { toUserError, type ProblemPlace } from '../../errors/toNodeError';
import { concludeWait } from '../concludeWait';
import { followJob } from '../followJob';
import type { HandedOver, SharedRun } from '../operations/operation';
import type { Outcome } from '../outcomes';
import { toFinishedItem } from '../toFinishedItem';
import { canHandOver, handOver } from './suspend';
import { toStoredJob, type StoredItem } from './state';

// Most jobs end within it, and need no database.
const STAY_MS = 60_000;

/** What makes the one run leave that stays in this process. */
let staying: AbortController | undefined;

/**
 * The durable wait of one node run: the node waits itself for a minute after its last job was begun,
 * and then hands what is still unfinished to n8n's own engine. It does so earlier when another run
 * comes to this point: many executions at once would hold all workers for as many minutes.
 */
export class DurableWait {
	private readonly leaving = new AbortController();

	private readonly ended = new AbortController();

	private readonly isPossible: boolean;

	private hasSaidSo = false;

	constructor(
		private readonly context: IExecuteFunctions,
		place: ProblemPlace,
		private readonly run: SharedRun,
	) {
		this.isPossible = canHandOver(context, place.isTool ?? false);
	}

	/** The signal for waits to be handed over; unset where n8n cannot take them. */
	get leave(): AbortSignal | undefined {
		if (!this.isPossible) this.sayThatItIsNot();
		return this.isPossible ? this.leaving.signal : undefined;
	}

	/** No further job is begun from here on that it may leave. */
	allHaveBegun(): void {
		if (!this.isPossible) return;
		const { clock, signal } = this.run;
		staying?.abort();
		staying = this.leaving;
		void clock.sleep(STAY_MS, signal, this.ended.signal).then(() => this.leaving.abort());
	}

	/** The node's own waiting is over. */
	end(): void {
		this.ended.abort();
		if (staying === this.leaving) staying = undefined;
	}

	/**
	 * Hands over what is unfinished, and returns the node's output for as long as it waits: n8n
	 * replaces it when all is done. Undefined when n8n does not take it after all.
	 */
	async handOver(
		outcomes: Array<Array<Outcome | HandedOver>>,
		startedJobIds: string[],
	): Promise<INodeExecutionData[] | undefined> {
		try {
			return await handOver(this.context, outcomes.flat().map(toStored), startedJobIds);
		} catch (error) {
			this.run.logger.warn(`Browser Agent: n8n could not keep the wait: ${toMessage(error)}`);
			this.sayThatItIsNot();
			return undefined;
		}
	}

	/** Goes on in this process with what n8n did not take. */
	async stay(results: Array<Outcome | HandedOver>): Promise<Outcome[]> {
		return await Promise.all(
			results.map(async (result) =>
				'handedOver' in result ? await this.waitOn(result.handedOver) : result,
			),
		);
	}

	private async waitOn({ watched, options }: HandedOver['handedOver']): Promise<Outcome> {
		const { run } = this;
		try {
			const result = await followJob(run, watched, options.wait);
			const followed = await concludeWait(run, watched, options.wait, result);
			return await toFinishedItem(run, followed, options);
		} catch (error) {
			return { error };
		}
	}

	private sayThatItIsNot(): void {
		if (this.hasSaidSo) return;
		this.hasSaidSo = true;
		this.context.addExecutionHints?.({
			message:
				"'Free the Worker While Waiting' is not possible here, so the node has waited itself. It needs a saved workflow and a newer version of n8n, and does not work for a tool of an agent.",
			type: 'info',
			location: 'outputPane',
		});
	}
}

function toStored(outcome: Outcome | HandedOver): StoredItem {
	if ('handedOver' in outcome) {
		const { handedOver, lastSeen } = outcome;
		return { handedOver, result: { job: lastSeen && toStoredJob(lastSeen, handedOver.options) } };
	}
	if (!('error' in outcome)) return { output: outcome };
	const problem = toUserError(outcome.error);
	return {
		problem: { message: toMessage(problem ?? outcome.error), details: problem?.details ?? {} },
	};
}

function toMessage(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
