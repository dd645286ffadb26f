import { runLanes, type Lane } from '../async/limitConcurrency';
import { toUserError } from '../errors/toNodeError';
import { stoppedError } from '../errors/UserError';
import { withJobFacts } from '../jobs/previousJobs';
import { showHint } from './showHint';
import type { ItemOutcome, ItemResult, Run, RunningItem } from './types';

/**
 * The results in the order of the items. If one fails the run, its error is thrown once all have
 * ended.
 */
export async function runItems(
	run: Run,
	items: Array<RunningItem | ItemResult>,
): Promise<ItemResult[]> {
	if (run.end.isStop) throw stoppedError('nothing was sent');

	// What is known to fail comes first, before anything is sent for the others.
	throwIfRunFails(
		run,
		items.filter((one) => 'outcome' in one),
	);
	const running = items.filter((one) => 'execute' in one);
	const results = new Map<RunningItem, ItemResult[]>();
	// While an item still starts its job, a suspended wait of another one would go unwatched.
	const unsettled = new Set(running);
	const settle = (one: RunningItem) => {
		if (unsettled.delete(one) && unsettled.size === 0) run.suspension?.schedule();
	};
	await runLanes(toLanes(running), async (one) => {
		results.set(one, await runItem(run, one, () => settle(one)));
		settle(one);
	});
	const all = items.flatMap((one) => ('execute' in one ? (results.get(one) ?? []) : one));
	showHints(run, running, all);
	return all;
}

/** Says what only all items together show. */
function showHints({ context }: Run, items: RunningItem[], results: ItemResult[]): void {
	const { emptyHint, sameJobHint } = items[0] ?? {};
	if (results.length === 0 && emptyHint !== undefined) showHint(context, emptyHint);

	const jobIds = items.map(({ subject }) => subject?.jobId);
	const isRepeated = new Set(jobIds).size < jobIds.length;
	if (isRepeated && sameJobHint !== undefined) showHint(context, sameJobHint);
}

/** Items that wait for their jobs must not hold back those that don't. */
function toLanes(items: RunningItem[]): Array<Lane<RunningItem>> {
	const lanes = [items.filter(({ waits }) => waits), items.filter(({ waits }) => !waits)];
	return lanes.map((entries) => {
		const limits = entries.map(({ maxParallel }) => maxParallel ?? 1);
		return { entries, limit: Math.min(...limits) };
	});
}

/**
 * Runs an item. An error is its result with Continue On Fail, and otherwise ends the run: it is
 * thrown.
 */
async function runItem(run: Run, item: RunningItem, onWaiting: () => void): Promise<ItemResult[]> {
	const { itemIndex, session, subject } = item;
	let outcomes: ItemOutcome[];
	try {
		outcomes = await item.execute({ ...session, onWaiting });
	} catch (error) {
		outcomes = [{ error: withJobFacts(toUserError(error, subject), session.entry) }];
	}
	const results = outcomes.map((outcome) => ({ itemIndex, outcome, entry: session.entry }));
	throwIfRunFails(run, results);
	return results;
}

/**
 * The one rule for failing items: with Continue On Fail the others continue, otherwise the run
 * ends.
 */
function throwIfRunFails(run: Run, results: ItemResult[]): void {
	if (run.continueOnFail && !run.end.isStop) return;
	for (const { itemIndex, outcome } of results) {
		if (!('error' in outcome)) continue;
		run.end.finish();
		throw outcome.error.with({ itemIndex });
	}
}
