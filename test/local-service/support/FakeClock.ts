import type { Clock } from '../../../local-service/jobs/clock';

/** A clock on which time passes when a test says so. */
export class FakeClock implements Clock {
	private time = Date.parse('2030-01-01T00:00:00Z');
	private timers: { at: number; run: () => void }[] = [];

	now(): number {
		return this.time;
	}

	after(ms: number, run: () => void): () => void {
		const timer = { at: this.time + ms, run };
		this.timers.push(timer);
		return () => {
			this.timers = this.timers.filter((other) => other !== timer);
		};
	}

	/** Lets time pass; what is due happens in its order, with all that follows from it. */
	async pass(ms: number): Promise<void> {
		await settle();
		const end = this.time + ms;
		for (;;) {
			this.timers.sort((one, other) => one.at - other.at);
			const next = this.timers[0];
			if (next === undefined || next.at > end) break;
			this.timers.shift();
			this.time = Math.max(this.time, next.at);
			next.run();
			await settle();
		}
		this.time = end;
		await settle();
	}

	async passMinutes(minutes: number): Promise<void> {
		await this.pass(minutes * 60_000);
	}
}

/** Lets all go on that waits for nothing but promises. */
export async function settle(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}
