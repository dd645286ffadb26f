import { runLanes, type Lane } from '../async/limitConcurrency';
import { toUserError } from '../errors/toNodeError';
import { stoppedError } from '../errors/stoppedError';
import { addJobToError } from '../jobs/addJobToError';
import { hasOutcome, type ItemOutcome, type Outcome, type ReadyItem, type Run } from './types';

/**
 * Runs the items that have no outcome yet, and returns all outcomes in the order of the items. If
 * an item makes the run fail, its error is thrown once all running items have ended.
 */
export async function runItems(
	run: Run,
	items: Array<ReadyItem | ItemOutcome>,
): Promise<ItemOutcome[]> {
	if (run.lifetime.isStopped) throw stoppedError('nothing was sent');

	// An item that has already failed ends the run before anything is sent for the others.
	throwIfRunFails(run, items.filter(hasOutcome));
	const ready = items.filter((item) => !hasOutcome(item));
	const outcomesOf = new Map<ReadyItem, ItemOutcome[]>();
	// Nothing checks the suspended waits until the run has ended, so none is suspended while another
	// item is still starting its job.
	const busy = new Set(ready);
	const markIdle = (item: ReadyItem) => {
		if (busy.delete(item) && busy.size === 0) run.suspension?.suspendWaitsLater();
	};
	await runLanes(toLanes(ready), async (item) => {
		outcomesOf.set(item, await runItem(run, item, () => markIdle(item)));
		markIdle(item);
	});
	const outcomes = items.flatMap((item) =>
		hasOutcome(item) ? item : (outcomesOf.get(item) ?? []),
	);
	showHints(run, ready, outcomes);
	return outcomes;
}

/** Shows the hints that depend on all items together. */
function showHints(run: Run, items: ReadyItem[], outcomes: ItemOutcome[]): void {
	const { emptyHint, sameJobHint } = items[0] ?? {};
	if (outcomes.length === 0 && emptyHint !== undefined) run.showHint(emptyHint);

	const jobIds = items.map(({ subject }) => subject?.jobId);
	const isRepeated = new Set(jobIds).size < jobIds.length;
	if (isRepeated && sameJobHint !== undefined) run.showHint(sameJobHint);
}

// Items that wait for their jobs must not hold back those that don't.
function toLanes(items: ReadyItem[]): Array<Lane<ReadyItem>> {
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
async function runItem(run: Run, item: ReadyItem, onWaiting: () => void): Promise<ItemOutcome[]> {
	const { itemIndex, session, subject } = item;
	let itemOutcomes: Outcome[];
	try {
		// `execute` is what the operation's `prepare` returned, e.g. in prepareJob.ts. If an identical
		// tool call is in progress, `share` returns its outcomes instead.
		itemOutcomes = await session.entry.share(() => item.execute({ ...session, onWaiting }));
	} catch (error) {
		itemOutcomes = [
			{ kind: 'failed', error: addJobToError(toUserError(error, subject), session.entry) },
		];
	}
	const outcomes = itemOutcomes.map((outcome) => ({ itemIndex, outcome, entry: session.entry }));
	throwIfRunFails(run, outcomes);
	return outcomes;
}

/**
 * Ends the run and throws the first error among the outcomes, unless Continue On Fail is on. After
 * a Stop, an error is thrown even with Continue On Fail.
 */
function throwIfRunFails(run: Run, outcomes: ItemOutcome[]): void {
	if (run.continueOnFail && !run.lifetime.isStopped) return;
	for (const { itemIndex, outcome } of outcomes) {
		if (outcome.kind !== 'failed') continue;
		run.lifetime.end();
		throw outcome.error.with({ itemIndex });
	}
}
