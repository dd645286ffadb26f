import { SortedList } from './SortedList';

/** What the queue needs to know about each entry. */
export interface QueueEntry {
	/** The name of the entry's group. Groups take turns. */
	group: string;
	/** Timestamp in ms. Within a group, the earliest comes first. */
	dueAt: number;
	/** The entry's number, unique in the queue: among equal `dueAt`, the smallest comes first. */
	position: number;
	/** Whether `takeNext` may hold the entry back while no other group waits. */
	isSpaced: boolean;
}

/** The entries of one group. Entries of both lists are compared with each other, too. */
interface Group<T> {
	spaced: SortedList<T>;
	unspaced: SortedList<T>;
}

/**
 * A queue in which groups take turns. Within a group, the entry that has been due for longest is
 * next.
 */
export class FairQueue<T extends QueueEntry> {
	/** In the order of their turns: the group that is next comes first. */
	private readonly groups = new Map<string, Group<T>>();

	private count = 0;

	/** The number of entries in all groups. */
	get size(): number {
		return this.count;
	}

	/** Adds an entry, which must not change while it is in the queue. */
	add(entry: T): void {
		const group = this.groups.get(entry.group) ?? {
			spaced: new SortedList<T>(compareTurns),
			unspaced: new SortedList<T>(compareTurns),
		};
		this.groups.set(entry.group, group);
		listOf(group, entry).add(entry);
		this.count++;
	}

	/** Removes an entry. It must be in the queue. */
	delete(entry: T): void {
		const group = this.groups.get(entry.group);
		if (group === undefined) return;
		listOf(group, entry).delete(entry);
		this.count--;
		if (group.spaced.size + group.unspaced.size === 0) this.groups.delete(entry.group);
	}

	/**
	 * Removes the next entry and returns it; its group goes to the end of the line. Without
	 * `allowsSpaced`, spaced entries are held back while only one group waits. Returns undefined if
	 * no entry may leave.
	 */
	takeNext({ allowsSpaced }: { allowsSpaced: boolean }): T | undefined {
		// While other groups wait, spacing is ignored: otherwise, spaced calls would starve.
		const isAlone = this.groups.size === 1;
		for (const [name, group] of this.groups) {
			const entry = firstOf(group, allowsSpaced || !isAlone);
			if (entry === undefined) continue;
			this.delete(entry);
			if (this.groups.has(name)) {
				// The turn of its group is over.
				this.groups.delete(name);
				this.groups.set(name, group);
			}
			return entry;
		}
		return undefined;
	}
}

function listOf<T extends QueueEntry>({ spaced, unspaced }: Group<T>, entry: T): SortedList<T> {
	return entry.isSpaced ? spaced : unspaced;
}

function firstOf<T extends QueueEntry>(
	{ spaced, unspaced }: Group<T>,
	allowsSpaced: boolean,
): T | undefined {
	if (!allowsSpaced || spaced.first === undefined) return unspaced.first;
	if (unspaced.first === undefined) return spaced.first;
	return compareTurns(spaced.first, unspaced.first) < 0 ? spaced.first : unspaced.first;
}

// Doesn't subtract `dueAt`: it is -Infinity for final polls, and -Infinity minus itself is NaN.
function compareTurns(one: QueueEntry, other: QueueEntry): number {
	if (one.dueAt === other.dueAt) return one.position - other.position;
	return one.dueAt < other.dueAt ? -1 : 1;
}
