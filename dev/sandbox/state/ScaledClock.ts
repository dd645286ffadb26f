// Unlike `Date.now()`, it never jumps when the system clock is set.
function monotonicNow(): number {
	return performance.timeOrigin + performance.now();
}

/** Sandbox time: starts at the real time, runs `scale` times as fast and can be advanced. */
export class ScaledClock {
	private anchorReal: number;
	private anchorSandbox: number;

	/** Times are in ms since 1970. */
	constructor(
		private readonly scale: number,
		private readonly realNow = monotonicNow,
	) {
		this.anchorReal = realNow();
		this.anchorSandbox = this.anchorReal;
	}

	now(): number {
		return this.anchorSandbox + (this.realNow() - this.anchorReal) * this.scale;
	}

	advance(seconds: number): void {
		this.anchorSandbox = this.now() + seconds * 1000;
		this.anchorReal = this.realNow();
	}
}
