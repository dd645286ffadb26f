/** A sorted list. No two entries may compare as equal, nor change their order while listed. */
export class SortedList<T> {
	private readonly entries: T[] = [];

	/** `compare` returns a negative number if `a` comes before `b`. */
	constructor(private readonly compare: (a: T, b: T) => number) {}

	get size(): number {
		return this.entries.length;
	}

	get first(): T | undefined {
		return this.entries[0];
	}

	/** Adds an entry at its place. It must not be in the list yet. */
	add(entry: T): void {
		this.entries.splice(this.indexOf(entry), 0, entry);
	}

	/** Removes an entry, if it is in the list. */
	delete(entry: T): void {
		const index = this.indexOf(entry);
		if (this.entries[index] !== entry) return;
		// For the first entry of a long list, `shift` is much faster than `splice`.
		if (index === 0) this.entries.shift();
		else this.entries.splice(index, 1);
	}

	/** Returns the index at which the entry is, or belongs. */
	private indexOf(entry: T): number {
		let from = 0;
		let to = this.entries.length;
		while (from < to) {
			const middle = Math.floor((from + to) / 2);
			const isEarlier = this.compare(this.entries[middle] as T, entry) < 0;
			if (isEarlier) from = middle + 1;
			else to = middle;
		}
		return from;
	}
}
