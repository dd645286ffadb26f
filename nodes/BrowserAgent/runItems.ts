import { runLanes, type Lane } from '../async/limitConcurrency';
import { toUserError } from '../errors/toNodeError';
import { stoppedError } from '../errors/stoppedError';
import { addJobToError } from '../jobs/addJobToError';
import { isProcessed } from './isProcessed';
import { showHint } from './showHint';
import type { ItemOutcome, ProcessedItem, Run, RunningItem } from './types';

/**
 * Runs the items that are not processed yet, and returns all outcomes in the order of the items. If
 * an item makes the run fail, its error is thrown once all running items have ended.
 */
export async function runItems(
	run: Run,
	items: Array<RunningItem | ProcessedItem>,
): Promise<ProcessedItem[]> {
	if (run.end.isStopped) throw stoppedError('nothing was sent');

	// An item that has already failed ends the run before anything is sent for the others.
	throwIfRunFails(run, items.filter(isProcessed));
	const running = items.filter((one) => !isProcessed(one));
	const processedOf = new Map<RunningItem, ProcessedItem[]>();
	// Nothing checks the suspended waits until the run has ended, so none is suspended while another
	// item is still starting its job.
	const busy = new Set(running);
	const markIdle = (one: RunningItem) => {
		if (busy.delete(one) && busy.size === 0) run.suspension?.schedule();
	};
	await runLanes(toLanes(running), async (one) => {
		processedOf.set(one, await runItem(run, one, () => markIdle(one)));
		markIdle(one);
	});
	const processed = items.flatMap((one) => (isProcessed(one) ? one : (processedOf.get(one) ?? [])));
	showHints(run, running, processed);
	return processed;
}

/** Shows the hints that depend on all items together. */
function showHints({ context }: Run, items: RunningItem[], processed: ProcessedItem[]): void {
	const { emptyHint, sameJobHint } = items[0] ?? {};
	if (processed.length === 0 && emptyHint !== undefined) showHint(context, emptyHint);

	const jobIds = items.map(({ subject }) => subject?.jobId);
	const isRepeated = new Set(jobIds).size < jobIds.length;
	if (isRepeated && sameJobHint !== undefined) showHint(context, sameJobHint);
}

// Items that wait for their jobs must not hold back those that don't.
function toLanes(items: RunningItem[]): Array<Lane<RunningItem>> {
	const lanes = [
		items.filter(({ waitsForEnd }) => waitsForEnd),
		items.filter(({ waitsForEnd }) => !waitsForEnd),
	];
	return lanes.map((entries) => {
		const limits = entries.map(({ maxParallel }) => maxParallel ?? 1);
		return { entries, limit: Math.min(...limits) };
	});
}

/**
 * Runs an item and returns its outcomes. If one is an error, throws it and ends the run, unless the
 * others should continue. `onWaiting` is called when the item's wait begins.
 */
async function runItem(
	run: Run,
	item: RunningItem,
	onWaiting: () => void,
): Promise<ProcessedItem[]> {
	const { itemIndex, session, subject } = item;
	let outcomes: ItemOutcome[];
	try {
		// What the operation's `prepare` has returned, e.g. in prepareJob.ts.
		outcomes = await session.entry.share(() => item.execute({ ...session, onWaiting }));
	} catch (error) {
		outcomes = [
			{ kind: 'failed', error: addJobToError(toUserError(error, subject), session.entry) },
		];
	}
	const processed = outcomes.map((outcome) => ({ itemIndex, outcome, entry: session.entry }));
	throwIfRunFails(run, processed);
	return processed;
}

/**
 * Ends the run and throws the first error among the outcomes, unless Continue On Fail is on. After
 * a Stop, an error is thrown even with Continue On Fail.
 */
function throwIfRunFails(run: Run, processed: ProcessedItem[]): void {
	if (run.continueOnFail && !run.end.isStopped) return;
	for (const { itemIndex, outcome } of processed) {
		if (outcome.kind !== 'failed') continue;
		run.end.finish();
		throw outcome.error.with({ itemIndex });
	}
}
