// Unlike `Date.now()`, it never jumps when the system clock is set.
function monotonicNow(): number {
	return performance.timeOrigin + performance.now();
}

/** Sandbox time: starts at the real time, runs `scale` times as fast and can be advanced. */
export class ScaledClock {
	private anchorReal: number;
	private anchorSandbox: number;

	/** `realNow` returns the real time in ms since 1970. */
	constructor(
		private readonly scale: number,
		readonly realNow = monotonicNow,
	) {
		this.anchorReal = realNow();
		this.anchorSandbox = this.anchorReal;
	}

	/** The sandbox time in ms since 1970. */
	now(): number {
		return this.anchorSandbox + (this.realNow() - this.anchorReal) * this.scale;
	}

	advance(seconds: number): void {
		this.anchorSandbox = this.now() + seconds * 1000;
		this.anchorReal = this.realNow();
	}

	/** Resolves after `realMs` of real time. Does not keep the process running. */
	async sleepReal(realMs = 0): Promise<void> {
		const end = this.realNow() + realMs;
		// `realNow` may run slower than timers, so one timer may not be enough.
		for (let left = realMs; left > 0; left = end - this.realNow()) {
			await new Promise((resolve) => setTimeout(resolve, left).unref());
		}
	}
}
