const TICK_MS = 5;

/**
 * The longest time for which this process was blocked by its own work: between two turns of the event
 * loop, and only as far as the process was really computing. So another process's work doesn't count.
 */
export class LoopMeter {
	maxBlockedMs = 0;

	private last = performance.now();

	private lastCpu = process.cpuUsage();

	private timer: NodeJS.Timeout | undefined;

	start(): void {
		this.maxBlockedMs = 0;
		this.note();
		this.maxBlockedMs = 0;
		this.timer = setInterval(() => this.note(), TICK_MS);
	}

	stop(): number {
		clearInterval(this.timer);
		this.note();
		return this.maxBlockedMs;
	}

	private note(): void {
		const now = performance.now();
		const { user, system } = process.cpuUsage(this.lastCpu);
		const blockedMs = Math.min(now - this.last, (user + system) / 1000) - TICK_MS;
		this.maxBlockedMs = Math.max(this.maxBlockedMs, blockedMs);
		this.last = now;
		this.lastCpu = process.cpuUsage();
	}
}
