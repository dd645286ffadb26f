/** Real time in milliseconds since 1970. It never jumps, as the wall clock may. */
export function realNow(): number {
	return performance.timeOrigin + performance.now();
}

/** The sandbox's time: it starts with the real one, runs `scale` times as fast and can be advanced. */
export class ScaledClock {
	private anchorReal = realNow();
	private anchorSandbox = this.anchorReal;

	constructor(private readonly scale: number) {}

	/** In milliseconds since 1970. */
	now(): number {
		return this.anchorSandbox + (realNow() - this.anchorReal) * this.scale;
	}

	advance(seconds: number): void {
		this.anchorSandbox = this.now() + seconds * 1000;
		this.anchorReal = realNow();
	}

	/** When a moment of the sandbox was in real time. One that was leapt over was at the leap. */
	toReal(sandboxMs: number): number {
		return this.anchorReal + Math.max(0, sandboxMs - this.anchorSandbox) / this.scale;
	}
}
