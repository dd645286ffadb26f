import type { StatusStep } from '../types';

/** Where a job is in its scripted statuses. */
export interface SequencePosition {
	index?: number;
	wasPolled?: boolean;
	/** When the job got its current status. */
	since: number;
}

/** The scripted statuses of a job; see `statuses` of `JobScript`. Times are sandbox time in ms. */
export class StatusSequence {
	private readonly steps: StatusStep[];
	private index: number;
	private wasCurrentPolled: boolean;
	private currentSince: number;

	constructor(
		steps: Array<string | StatusStep>,
		{ index = 0, wasPolled = false, since }: SequencePosition,
	) {
		this.steps = steps.map((step) => (typeof step === 'string' ? { status: step } : step));
		this.index = index;
		this.wasCurrentPolled = wasPolled;
		this.currentSince = since;
	}

	get position(): SequencePosition {
		return { index: this.index, wasPolled: this.wasCurrentPolled, since: this.currentSince };
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
