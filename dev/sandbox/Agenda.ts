export interface Appointment {
	cancel(): void;
}

interface Entry extends Appointment {
	at: number;
	order: number;
	run: ((at: number) => void) | undefined;
}

/**
 * What is going to happen, in order of time. Nothing happens by itself: whoever looks at the sandbox
 * first lets everything happen that was due. So no timer runs, and time can leap.
 */
export class Agenda {
	/** A binary heap, the earliest entry first. */
	private readonly heap: Entry[] = [];
	private count = 0;

	/** `run` gets the moment it was due, which may lie in the past by then. */
	schedule(at: number, run: (at: number) => void): Appointment {
		const entry: Entry = {
			at,
			order: this.count++,
			run,
			cancel: () => (entry.run = undefined),
		};
		this.heap.push(entry);
		this.rise(this.heap.length - 1);
		return entry;
	}

	runUntil(now: number): void {
		for (let next = this.heap[0]; next && next.at <= now; next = this.heap[0]) {
			this.removeFirst();
			next.run?.(next.at);
		}
	}

	private removeFirst(): void {
		const last = this.heap.pop();
		if (last && this.heap.length > 0) {
			this.heap[0] = last;
			this.sink(0);
		}
	}

	private rise(index: number): void {
		while (index > 0) {
			const parent = (index - 1) >> 1;
			if (!this.isBefore(index, parent)) return;
			this.swap(index, parent);
			index = parent;
		}
	}

	private sink(index: number): void {
		for (;;) {
			const left = 2 * index + 1;
			let earliest = index;
			if (this.isBefore(left, earliest)) earliest = left;
			if (this.isBefore(left + 1, earliest)) earliest = left + 1;
			if (earliest === index) return;
			this.swap(index, earliest);
			index = earliest;
		}
	}

	private isBefore(index: number, other: number): boolean {
		const a = this.heap[index];
		const b = this.heap[other];
		if (!a || !b) return false;
		return a.at === b.at ? a.order < b.order : a.at < b.at;
	}

	private swap(index: number, other: number): void {
		const a = this.heap[index];
		const b = this.heap[other];
		if (!a || !b) return;
		this.heap[index] = b;
		this.heap[other] = a;
	}
}
