// Unlike `Date.now()`, it never jumps when the system clock is set.
function monotonicNow(): number {
	return performance.timeOrigin + performance.now();
}

/** A moment in real and in sandbox time, in ms since 1970. */
export interface ClockAnchor {
	real: number;
	sandbox: number;
}

/** Sandbox time: starts at the real time, runs `scale` times as fast and can be advanced. */
export class ScaledClock {
	/** From which the time is counted. */
	anchor: ClockAnchor;

	/** `anchor` continues the time of an earlier clock. */
	constructor(
		private readonly scale: number,
		private readonly realNow = monotonicNow,
		anchor?: ClockAnchor,
	) {
		const real = realNow();
		this.anchor = anchor ?? { real, sandbox: real };
	}

	/** Returns the sandbox time in ms since 1970. */
	now(): number {
		return this.anchor.sandbox + (this.realNow() - this.anchor.real) * this.scale;
	}

	advance(seconds: number): void {
		this.anchor = { real: this.realNow(), sandbox: this.now() + seconds * 1000 };
	}
}
