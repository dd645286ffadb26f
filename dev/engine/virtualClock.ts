import type { Clock } from '../../nodes/async/clock';

interface Timer {
	at: number;
	fire: () => void;
}

const RECHECK_MS = 1;

/**
 * A clock that jumps to the next timer whenever nothing else is left to run and `isBusy` is false.
 */
export class VirtualClock implements Clock {
	/** The latest first; of two at the same time, the one that was added first fires first. */
	private readonly timers: Timer[] = [];
	private time = 0;
	private isJumping = false;
	private isStopped = false;

	constructor(private readonly isBusy: () => boolean = () => false) {}

	now(): number {
		return this.time;
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

	/** From now on no time passes, and nobody wakes up any more. */
	stop(): void {
		this.isStopped = true;
		this.timers.length = 0;
	}

	private addTimer(ms: number, fire: () => void): Timer {
		const timer = { at: this.time + ms, fire };
		const later = this.timers.findLastIndex(({ at }) => at > timer.at);
		this.timers.splice(later + 1, 0, timer);
		if (!this.isJumping) {
			this.isJumping = true;
			setImmediate(() => this.jump());
		}
		return timer;
	}

	// One timer per turn of the event loop, so that everything it triggers runs before the next one.
	private jump(): void {
		if (this.isStopped) return;
		if (this.isBusy()) return void setTimeout(() => this.jump(), RECHECK_MS);
		const next = this.timers.pop();
		this.isJumping = next !== undefined;
		if (next === undefined) return;
		this.time = Math.max(this.time, next.at);
		next.fire();
		setImmediate(() => this.jump());
	}
}
