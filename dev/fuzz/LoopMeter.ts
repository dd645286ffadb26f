const TICK_MS = 5;

/** The longest time between two turns of the event loop, as far as this process was computing. */
export class LoopMeter {
	private maxBlockedMs = 0;
	private last = performance.now();
	private lastCpu = process.cpuUsage();
	private readonly timer = setInterval(() => this.measure(), TICK_MS);

	/** Ends the measurement that began with the construction; in ms. */
	stop(): number {
		clearInterval(this.timer);
		this.measure();
		return this.maxBlockedMs;
	}

	private measure(): void {
		const now = performance.now();
		const { user, system } = process.cpuUsage(this.lastCpu);
		const blockedMs = Math.min(now - this.last, (user + system) / 1000) - TICK_MS;
		this.maxBlockedMs = Math.max(this.maxBlockedMs, blockedMs);
		this.last = now;
		this.lastCpu = process.cpuUsage();
	}
}
