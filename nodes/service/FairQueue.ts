/** A queue in which groups take turns: first in, first out within a group, round robin among them. */
export class FairQueue<T> {
	/** The group whose turn it is comes first. */
	private readonly groups = new Map<string, T[]>();

	get size(): number {
		return [...this.groups.values()].reduce((size, entries) => size + entries.length, 0);
	}

	add(entry: T, group: string): void {
		const entries = this.groups.get(group);
		if (entries === undefined) this.groups.set(group, [entry]);
		else entries.push(entry);
	}

	/** Takes the next entry out; undefined if there is none. */
	next(): T | undefined {
		const [first] = this.groups;
		if (first === undefined) return undefined;
		const [group, entries] = first;
		const entry = entries.shift();
		this.groups.delete(group);
		if (entries.length > 0) this.groups.set(group, entries);
		return entry;
	}

	/** Takes out all entries for which `isOver` is true. */
	removeIf(isOver: (entry: T) => boolean): void {
		for (const [group, entries] of this.groups) {
			const kept = entries.filter((entry) => !isOver(entry));
			if (kept.length === 0) this.groups.delete(group);
			else this.groups.set(group, kept);
		}
	}
}
