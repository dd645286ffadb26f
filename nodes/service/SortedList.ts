/** Entries in an order of their own. No two of them may be equal in it. */
export class SortedList<T> {
	private readonly entries: T[] = [];

	/** `compare` returns a negative number if `one` comes before `other`. */
	constructor(private readonly compare: (one: T, other: T) => number) {}

	get size(): number {
		return this.entries.length;
	}

	get first(): T | undefined {
		return this.entries[0];
	}

	add(entry: T): void {
		this.entries.splice(this.indexOf(entry), 0, entry);
	}

	/** Takes an entry out, if it is in the list. */
	delete(entry: T): void {
		const index = this.indexOf(entry);
		if (this.entries[index] !== entry) return;
		// It does not move the others.
		if (index === 0) this.entries.shift();
		else this.entries.splice(index, 1);
	}

	/** Where the entry is, or where it belongs. */
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
