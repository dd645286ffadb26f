// It never jumps, as the wall clock may.
function realNow(): number {
	return performance.timeOrigin + performance.now();
}

/** The sandbox's time: it starts with the real one, runs `scale` times as fast and can be advanced. */
export class ScaledClock {
	private anchorReal: number;
	private anchorSandbox: number;

	/** `real` tells the real time, in milliseconds since 1970. */
	constructor(
		private readonly scale: number,
		readonly real = realNow,
	) {
		this.anchorReal = real();
		this.anchorSandbox = this.anchorReal;
	}

	/** In milliseconds since 1970. */
	now(): number {
		return this.anchorSandbox + (this.real() - this.anchorReal) * this.scale;
	}

	advance(seconds: number): void {
		this.anchorSandbox = this.now() + seconds * 1000;
		this.anchorReal = this.real();
	}

	/** When a moment of the sandbox was in real time. One that was leapt over was at the leap. */
	toReal(sandboxMs: number): number {
		return this.anchorReal + Math.max(0, sandboxMs - this.anchorSandbox) / this.scale;
	}

	/** Resolves after so much real time. */
	async pause(realMs = 0): Promise<void> {
		const end = this.real() + realMs;
		for (let left = realMs; left > 0; left = end - this.real()) {
			await new Promise((resolve) => setTimeout(resolve, left).unref());
		}
	}
}
