/** What a job is an example of, from the special to the general: its task, then its operation. */
export type JobKinds = readonly string[];

/** What is known of jobs at a certain age. */
export interface Outlook {
	/** How many of the known jobs took at least that long. */
	surviving: number;
	/** How many of these ended within the window around that age. */
	ending: number;
}

const MAX_SAMPLES = 30;
const MIN_SAMPLES = 3;
const MAX_KINDS = 200;
const NOTHING_KNOWN: Outlook = { surviving: 0, ending: 0 };

interface Samples {
	/** In the order of their ends. */
	latest: number[];
	ascending: number[];
}

/** How long the latest jobs of each kind have taken, on one account. Its size is bounded. */
export class DurationHistory {
	private readonly byKind = new Map<string, Samples>();

	/** A job has ended after so many ms. */
	add(kinds: JobKinds, durationMs: number): void {
		for (const kind of kinds) {
			const { latest = [] } = this.byKind.get(kind) ?? {};
			latest.push(durationMs);
			if (latest.length > MAX_SAMPLES) latest.shift();
			const ascending = latest.toSorted((one, other) => one - other);
			// Set again, so that the kind that was not seen for longest comes first.
			this.byKind.delete(kind);
			this.byKind.set(kind, { latest, ascending });
		}
		for (const kind of this.byKind.keys()) {
			if (this.byKind.size <= MAX_KINDS) return;
			this.byKind.delete(kind);
		}
	}

	/** What is known of jobs like this at an age, in ms, within a window around it. */
	outlook(kinds: JobKinds, ageMs: number, windowMs: number): Outlook {
		for (const kind of kinds) {
			const ascending = this.byKind.get(kind)?.ascending ?? [];
			if (ascending.length < MIN_SAMPLES && kind !== kinds.at(-1)) continue;
			const from = countBelow(ascending, ageMs - windowMs / 2);
			const to = countBelow(ascending, ageMs + windowMs / 2);
			return { surviving: ascending.length - from, ending: to - from };
		}
		return NOTHING_KNOWN;
	}
}

// By binary search: there may be ten thousand waiting jobs to ask for.
function countBelow(ascending: number[], limit: number): number {
	let low = 0;
	let high = ascending.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((ascending[middle] ?? Infinity) < limit) low = middle + 1;
		else high = middle;
	}
	return low;
}
