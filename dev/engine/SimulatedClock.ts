import type { Clock } from '../../nodes/async/clock';
import type { ProcessActivity } from './ProcessActivity';

interface Timer {
	at: number;
	isTimeout: boolean;
	fire: () => void;
}

// Made once: each has a stack trace, and most timeouts pass long after their request.
const TIME_IS_UP = new DOMException('Time is up', 'TimeoutError');

/**
 * A clock on which time stands still while anything is under way, and jumps to the next wake-up as
 * soon as everything sleeps. So an hour takes only as long as the work in it, and no measured time
 * depends on how busy the machine is.
 */
export class SimulatedClock implements Clock {
	/** Sorted latest first; timers due at the same time fire in the order they were added. */
	private readonly timers: Timer[] = [];

	private isHeld = false;

	private isRunning = false;

	private isStopped = false;

	private readonly stopListening?: () => void;

	/**
	 * Begins at `time`, in ms since 1970. Without `activity`, time passes as soon as a turn of the
	 * event loop is over.
	 */
	constructor(
		private time = Date.now(),
		private readonly activity?: ProcessActivity,
	) {
		// The request may hang until its timeout.
		this.stopListening = activity?.onRequest(() => void this.run());
	}

	/** The number of sleepers, not counting timeouts. */
	get sleepers(): number {
		return this.timers.filter(({ isTimeout }) => !isTimeout).length;
	}

	/** By how much the machine's clock was set forward, in ms; negative if it was set back. */
	setForwardMs = 0;

	now(): number {
		return this.time + this.setForwardMs;
	}

	elapsed(): number {
		return this.time;
	}

	async sleep(ms: number, signal?: AbortSignal): Promise<void> {
		if (ms <= 0 || signal?.aborted === true) return;
		// A derived signal: Node.js warns of a leak when one signal has more than ten listeners.
		const ownSignal = signal && AbortSignal.any([signal]);
		await new Promise<void>((resolve) => {
			const end = () => {
				this.remove(timer);
				ownSignal?.removeEventListener('abort', end);
				resolve();
			};
			const timer = this.add({ at: this.time + ms, isTimeout: false, fire: end });
			ownSignal?.addEventListener('abort', end);
		});
	}

	timeout(ms: number): AbortSignal {
		const controller = new AbortController();
		this.add({
			at: this.time + Math.max(0, ms),
			isTimeout: true,
			fire: () => controller.abort(TIME_IS_UP),
		});
		return controller.signal;
	}

	/** From now on, time passes only in `advance`. */
	hold(): void {
		this.isHeld = true;
	}

	/**
	 * Lets this much time pass. A held clock also waits until everything that is due has been done.
	 */
	async advance(ms: number): Promise<void> {
		const end = this.time + ms;
		if (!this.isHeld) return await this.sleep(ms);
		do await this.untilIdle();
		while (this.fireNext(end));
		this.time = end;
	}

	/** Forgets all sleepers and that the clock was set, and lets time pass by itself again. */
	reset(): void {
		this.setForwardMs = 0;
		this.timers.length = 0;
		this.isHeld = false;
	}

	/** Ends the clock: no time passes anymore, and nobody wakes up. */
	stop(): void {
		this.reset();
		this.stopListening?.();
		this.isStopped = true;
	}

	private async run(): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		for (let hasFired = true; hasFired && !this.isHeld && !this.isStopped;) {
			const isStalled = await this.untilIdle();
			// A timeout outlasts its request, and then nobody waits for it.
			const isAwaited = isStalled || this.timers.some(({ isTimeout }) => !isTimeout);
			hasFired = isAwaited && !this.isHeld && this.fireNext();
		}
		this.isRunning = false;
	}

	/** Returns whether requests are open that don't move, and may wait for a timeout. */
	private async untilIdle(): Promise<boolean> {
		if (this.activity !== undefined) return await this.activity.untilIdle();
		await new Promise(setImmediate);
		return false;
	}

	/**
	 * Moves to the next timer, if there is one until `end`, and returns whether there was one. Only
	 * one fires, so that everything that it triggers is done before the next.
	 */
	private fireNext(end = Infinity): boolean {
		const next = this.timers.at(-1);
		if (next === undefined || next.at > end) return false;
		this.timers.pop();
		this.time = next.at;
		next.fire();
		return true;
	}

	private add(timer: Timer): Timer {
		this.timers.splice(this.indexOf(timer.at), 0, timer);
		void this.run();
		return timer;
	}

	private remove(timer: Timer): void {
		// Usually, it has just fired, and was the last.
		const index = this.timers.lastIndexOf(timer);
		if (index !== -1) this.timers.splice(index, 1);
	}

	/** Where a timer of this time belongs, by binary search: there may be 10,000. */
	private indexOf(at: number): number {
		let low = 0;
		let high = this.timers.length;
		while (low < high) {
			const middle = Math.floor((low + high) / 2);
			if ((this.timers[middle]?.at ?? -Infinity) > at) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}
