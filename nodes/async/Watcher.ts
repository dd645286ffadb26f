import type { Clock } from './clock';

const INTERVAL_MS = 60_000;

/** Runs checks once a minute, all by one timer, each until it says that it is over. */
export class Watcher {
	private readonly checks = new Set<() => Promise<boolean>>();

	private isRunning = false;

	constructor(private readonly clock: Clock) {}

	/** `check` resolves to whether it is over. If it rejects, nothing is known, and it is run again. */
	add(check: () => Promise<boolean>): void {
		this.checks.add(check);
		void this.run();
	}

	private async run(): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		while (this.checks.size > 0) {
			await this.clock.sleep(INTERVAL_MS);
			for (const check of this.checks) {
				if (await check().catch(() => false)) this.checks.delete(check);
			}
		}
		this.isRunning = false;
	}
}
