/** A queue in which groups take turns: first in, first out within a group, round robin among them. */
export class FairQueue<T> {
	/** The group whose turn it is comes first. */
	private readonly groups = new Map<string, T[]>();

	size = 0;

	add(entry: T, group: string): void {
		const entries = this.groups.get(group);
		if (entries === undefined) this.groups.set(group, [entry]);
		else entries.push(entry);
		this.size++;
	}

	/** Takes the next entry out; undefined if there is none. */
	next(): T | undefined {
		for (const [group, entries] of this.groups) {
			const entry = entries.shift();
			this.groups.delete(group);
			if (entries.length > 0) this.groups.set(group, entries);
			if (entry === undefined) continue;
			this.size--;
			return entry;
		}
		return undefined;
	}

	/** Takes out all entries for which `isOver` is true. */
	removeIf(isOver: (entry: T) => boolean): void {
		for (const [group, entries] of this.groups) {
			const kept = entries.filter((entry) => !isOver(entry));
			this.size -= entries.length - kept.length;
			if (kept.length === 0) this.groups.delete(group);
			else this.groups.set(group, kept);
		}
	}
}
