import type { StatusStep } from '../types';

/** The scripted statuses of a job; see `statuses` of `JobScript`. Times are sandbox time in ms. */
export class StatusSequence {
	private readonly steps: StatusStep[];
	private index = 0;
	private wasCurrentPolled = false;

	constructor(
		steps: Array<string | StatusStep>,
		/** When the job got its current status. */
		private currentSince: number,
	) {
		this.steps = steps.map((step) => (typeof step === 'string' ? { status: step } : step));
	}

	/** Returns the status for a poll. A status without a duration lasts for one poll. */
	poll(now: number): string {
		if (this.wasCurrentPolled && this.current.seconds === undefined) this.moveToNext(now);
		const status = this.status(now);
		this.wasCurrentPolled = true;
		return status;
	}

	status(now: number): string {
		while (!this.isLast && now >= this.currentUntil) this.moveToNext(this.currentUntil);
		return this.current.status;
	}

	moveToNext(now: number): void {
		if (this.isLast) return;
		this.index++;
		this.wasCurrentPolled = false;
		this.currentSince = now;
	}

	get isLast(): boolean {
		return this.index >= this.steps.length - 1;
	}

	private get currentUntil(): number {
		const { seconds } = this.current;
		return seconds === undefined ? Infinity : this.currentSince + seconds * 1000;
	}

	private get current(): StatusStep {
		return this.steps[this.index] ?? { status: 'running' };
	}
}
