import { SortedList } from './SortedList';

/** What the queue must know of its entries. */
export interface QueueEntry {
	/** Groups take turns, by this name. */
	group: string;
	/** Within a group, the smallest number comes first. */
	dueAt: number;
	/** Counts the entries: of those with the same `dueAt`, the one that came first is next. */
	position: number;
	/** Whether it keeps a distance to others, unless other groups wait, too. */
	isSpaced: boolean;
}

/** The entries of one group; its own order holds for both lists together. */
interface Group<T> {
	spaced: SortedList<T>;
	others: SortedList<T>;
}

/**
 * A queue in which groups take turns. Within a group, the entry that has been due for longest is
 * next.
 */
export class FairQueue<T extends QueueEntry> {
	/** The group whose turn it is comes first. */
	private readonly groups = new Map<string, Group<T>>();

	private count = 0;

	get size(): number {
		return this.count;
	}

	add(entry: T): void {
		const group = this.groups.get(entry.group) ?? {
			spaced: new SortedList<T>(compareTurns),
			others: new SortedList<T>(compareTurns),
		};
		this.groups.set(entry.group, group);
		listOf(group, entry).add(entry);
		this.count++;
	}

	/** Takes an entry out, which must be in the queue. */
	delete(entry: T): void {
		const group = this.groups.get(entry.group);
		if (group === undefined) return;
		listOf(group, entry).delete(entry);
		this.count--;
		if (group.spaced.size + group.others.size === 0) this.groups.delete(entry.group);
	}

	/**
	 * Takes the next entry out; undefined if there is none, or only spaced ones without `withSpaced`.
	 */
	next({ withSpaced }: { withSpaced: boolean }): T | undefined {
		// While other groups wait, spacing is ignored: otherwise, spaced calls would starve.
		const isAlone = this.groups.size === 1;
		for (const [name, group] of this.groups) {
			const entry = firstOf(group, withSpaced || !isAlone);
			if (entry === undefined) continue;
			this.delete(entry);
			// The turn of its group is over.
			if (this.groups.delete(name)) this.groups.set(name, group);
			return entry;
		}
		return undefined;
	}
}

function listOf<T extends QueueEntry>({ spaced, others }: Group<T>, entry: T): SortedList<T> {
	return entry.isSpaced ? spaced : others;
}

function firstOf<T extends QueueEntry>(
	{ spaced, others }: Group<T>,
	withSpaced: boolean,
): T | undefined {
	if (!withSpaced || spaced.first === undefined) return others.first;
	if (others.first === undefined) return spaced.first;
	return compareTurns(spaced.first, others.first) < 0 ? spaced.first : others.first;
}

// Last polls are due at -Infinity, and the difference of two infinities is not a number.
function compareTurns(one: QueueEntry, other: QueueEntry): number {
	if (one.dueAt === other.dueAt) return one.position - other.position;
	return one.dueAt < other.dueAt ? -1 : 1;
}
