import { setTimeout as pause } from 'node:timers/promises';

import type { RealClock } from '../types';

const machineClock: RealClock = {
	// Unlike `Date.now()`, it never jumps when the system clock is set.
	now: () => performance.timeOrigin + performance.now(),
	sleep: async (ms, signal) => await pause(ms, undefined, { signal }).catch(() => {}),
};

/** Sandbox time: starts at the real time, runs `scale` times as fast and can be advanced. */
export class ScaledClock {
	/** The moment from which time is counted: its real time and its sandbox time. */
	private anchor: { real: number; sandbox: number };

	constructor(
		private readonly scale: number,
		private readonly realClock = machineClock,
	) {
		const real = realClock.now();
		this.anchor = { real, sandbox: real };
	}

	/** Returns the sandbox time in ms since 1970. */
	now(): number {
		return this.anchor.sandbox + (this.realClock.now() - this.anchor.real) * this.scale;
	}

	advance(seconds: number): void {
		this.anchor = { real: this.realClock.now(), sandbox: this.now() + seconds * 1000 };
	}

	/** Resolves after that time, as if nobody advanced the clock, or when the signal is aborted. */
	async sleep(seconds: number, signal?: AbortSignal): Promise<void> {
		const ms = (seconds * 1000) / this.scale;
		if (ms > 0) await this.realClock.sleep(ms, signal);
	}
}
