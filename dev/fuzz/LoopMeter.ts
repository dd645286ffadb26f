const TICK_MS = 5;

/**
 * The longest time for which this process was blocked by its own work: between two turns of the event
 * loop, and only as far as the process was really computing. So another process's work doesn't count.
 */
export class LoopMeter {
	private maxBlockedMs = 0;

	private last = performance.now();

	private lastCpu = process.cpuUsage();

	private readonly timer = setInterval(() => this.measure(), TICK_MS);

	/** Ends the measurement that began with the construction; returns the longest time in ms. */
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
