import { runLanes, type Lane } from '../async/limitConcurrency';
import { stoppedError } from '../errors/NodeFailure';
import { toNodeFailure } from '../errors/toNodeFailure';
import type { MemoryEntry } from '../jobs/JobMemory';
import { hideCdpUrls } from './connectItems';
import { isOpen, waits, workOf, type Item, type Result, type Run, type Task } from './Run';

/**
 * Runs the items that have no results yet. If one makes the run fail, its error is thrown once all
 * running items have ended.
 */
export async function runItems(run: Run): Promise<void> {
	if (run.lifetime.stopped.aborted) throw stoppedError('nothing was sent');

	// An item that has already failed ends the run before anything is sent for the others.
	for (const item of run.items) throwIfRunFails(run, item);
	const open = run.items.filter(isOpen);
	// A lasting error comes again, and if that ends the run, nothing new is started.
	const doomed = open.filter(({ entry }) => entry?.hasLastingError);
	await runAll(run, doomed);
	await runAll(
		run,
		open.filter((item) => !doomed.includes(item)),
	);
	showHints(run, open);
}

async function runAll(run: Run, items: Item[]): Promise<void> {
	await runLanes(toLanes(items), async (item) => await runItem(run, item));
}

// Items that wait for their jobs must not hold back those that don't.
function toLanes(items: Item[]): Array<Lane<Item>> {
	const lanes = [items.filter(waits), items.filter((item) => !waits(item))];
	return lanes.map((entries) => {
		const limits = entries.map(
			({ task }) => task?.maxParallel ?? task?.job?.options?.maxParallel ?? 1,
		);
		return { entries, limit: Math.min(...limits) };
	});
}

/** Runs an item. If it fails, throws its error and ends the run, unless the others continue. */
async function runItem(run: Run, item: Item): Promise<void> {
	const { task, entry } = item;
	if (task === undefined) return;
	try {
		item.results = await shared(entry, async () => await task.execute(workOf(run, item)));
	} catch (caught) {
		const error = toNodeFailure(caught, task.subject);
		item.results = [{ kind: 'failed', error }];
		if (entry && error.details.isLasting === true) entry.hasLastingError = true;
	}
	run.suspension?.recordResults();
	// An equal call may have received an address.
	hideCdpUrls(item);
	throwIfRunFails(run, item);
}

/** Does an item's work. Until it is done, an equal call of a tool gets its results instead. */
async function shared(
	entry: MemoryEntry | undefined,
	work: () => Promise<Result[]>,
): Promise<Result[]> {
	if (entry === undefined) return await work();
	entry.inProgress ??= work().finally(() => {
		entry.inProgress = undefined;
	});
	return (await entry.inProgress) as Result[];
}

/**
 * Ends the run and throws the first error of an item, unless Continue On Fail is on. After a Stop,
 * an error is thrown even with Continue On Fail.
 */
function throwIfRunFails(run: Run, item: Item): void {
	if (run.continueOnFail && !run.lifetime.stopped.aborted) return;
	const failed = item.results?.find((result) => result.kind === 'failed');
	if (failed === undefined) return;
	run.failedItem ??= item;
	run.lifetime.end();
	throw failed.error.with({ itemIndex: item.index });
}

/** Shows the hints that depend on all items together. */
function showHints(run: Run, items: Item[]): void {
	const tasks = items.flatMap(({ task }) => task ?? []);
	const [{ emptyHint, sameJobHint } = {} as Partial<Task>] = tasks;
	const isEmpty = run.items.every(({ results }) => results?.length === 0);
	if (isEmpty && emptyHint !== undefined) run.showHint(emptyHint);

	const jobIds = tasks.map(({ subject }) => subject?.jobId);
	const isRepeated = new Set(jobIds).size < jobIds.length;
	if (isRepeated && sameJobHint !== undefined) run.showHint(sameJobHint);
}
