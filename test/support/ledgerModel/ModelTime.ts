import type { Clock } from '../../../nodes/async/clock';

interface Timer {
	at: number;
	fire: () => void;
	owner: object;
}

/** Time that passes in `advance` only, always in the same way: every timer's work is done before the next one. */
export class ModelTime {
	now = Date.UTC(2026, 0, 1);

	/** By time; of two at the same time, the one that was set first fires first. */
	private timers: Timer[] = [];

	/** Lets this much time pass, or less: until `isDone`. */
	async advance(ms: number, isDone: () => boolean = () => false): Promise<void> {
		const end = this.now + ms;
		await allWork();
		for (;;) {
			const [next] = this.timers;
			if (isDone()) return;
			if (next === undefined || next.at > end) break;
			this.timers.shift();
			this.now = Math.max(this.now, next.at);
			next.fire();
			await allWork();
		}
		this.now = end;
	}

	/** Calls back after `ms`, unless the owner is gone by then. Returns how to take the timer back. */
	setTimer(ms: number, fire: () => void, owner: object): () => void {
		const timer = { at: this.now + Math.max(0, ms), fire, owner };
		const index = this.timers.findIndex(({ at }) => at > timer.at);
		this.timers.splice(index === -1 ? this.timers.length : index, 0, timer);
		return () => {
			this.timers = this.timers.filter((other) => other !== timer);
		};
	}

	/** The owner's timers never fire, as those of a killed process. */
	removeTimersOf(owner: object): void {
		this.timers = this.timers.filter((timer) => timer.owner !== owner);
	}

	clockOf(owner: object): Clock {
		return {
			now: () => this.now,
			sleep: async (ms, signal) => await this.sleep(ms, owner, signal),
			timeout: (ms) => {
				const over = new AbortController();
				this.setTimer(ms, () => over.abort(), owner);
				return over.signal;
			},
		};
	}

	async sleep(ms: number, owner: object, signal?: AbortSignal): Promise<void> {
		if (ms <= 0 || signal?.aborted === true) return;
		await new Promise<void>((resolve) => {
			const end = () => {
				remove();
				signal?.removeEventListener('abort', end);
				resolve();
			};
			const remove = this.setTimer(ms, end, owner);
			signal?.addEventListener('abort', end);
		});
	}
}

// All promises and streams go on before the next turn of the event loop.
async function allWork(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}
