import type { Clock } from '../../nodes/async/clock';

interface Timer {
	at: number;
	order: number;
	fire: () => void;
}

/**
 * A clock that doesn't wait: whenever nothing else is left to run, it jumps to the next moment at which
 * somebody wakes up. Hours pass in seconds, and always in the same way.
 */
export class VirtualClock implements Clock {
	private readonly timers: Timer[] = [];

	private time = 0;

	private order = 0;

	private isJumping = false;

	constructor(private readonly startDate = Date.UTC(2026, 0, 1)) {}

	now(): number {
		return this.time;
	}

	date(): number {
		return this.startDate + this.time;
	}

	async sleep(ms: number, signal?: AbortSignal): Promise<void> {
		if (ms <= 0 || signal?.aborted === true) return;
		await new Promise<void>((resolve) => {
			const own = signal && AbortSignal.any([signal]);
			const timer = this.addTimer(ms, () => {
				own?.removeEventListener('abort', onAbort);
				resolve();
			});
			const onAbort = () => {
				timer.fire = () => {};
				resolve();
			};
			own?.addEventListener('abort', onAbort, { once: true });
		});
	}

	timeout(ms: number): AbortSignal {
		const over = new AbortController();
		this.addTimer(Math.max(0, ms), () => over.abort());
		return over.signal;
	}

	private addTimer(ms: number, fire: () => void): Timer {
		const timer = { at: this.time + ms, order: this.order++, fire };
		insert(this.timers, timer);
		if (!this.isJumping) {
			this.isJumping = true;
			setImmediate(() => this.jump());
		}
		return timer;
	}

	// One timer in each turn of the event loop, so that all that follows from it runs first.
	private jump(): void {
		const next = takeFirst(this.timers);
		this.isJumping = next !== undefined;
		if (next === undefined) return;
		this.time = Math.max(this.time, next.at);
		next.fire();
		setImmediate(() => this.jump());
	}
}

function isBefore(one: Timer, other: Timer): boolean {
	return one.at < other.at || (one.at === other.at && one.order < other.order);
}

// A binary heap: simulations have ten thousands of timers.
function insert(heap: Timer[], timer: Timer): void {
	let index = heap.push(timer) - 1;
	while (index > 0) {
		const parent = (index - 1) >> 1;
		const above = heap[parent] as Timer;
		if (!isBefore(timer, above)) break;
		heap[index] = above;
		index = parent;
	}
	heap[index] = timer;
}

function takeFirst(heap: Timer[]): Timer | undefined {
	const first = heap[0];
	const last = heap.pop();
	if (first === undefined || last === undefined || heap.length === 0) return first;
	let index = 0;
	for (;;) {
		let child = 2 * index + 1;
		if (child >= heap.length) break;
		if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer))
			child++;
		if (!isBefore(heap[child] as Timer, last)) break;
		heap[index] = heap[child] as Timer;
		index = child;
	}
	heap[index] = last;
	return first;
}
