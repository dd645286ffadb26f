import type { StatusStep } from '../types';

/** Statuses a job shows in place of a running time; see `statuses` of a `JobScript`. */
export class StatusScript {
	private readonly steps: StatusStep[];
	private index = 0;
	/** Whether a poll has seen the present status. */
	private isSeen = false;

	/** `since` is when the present status began. */
	constructor(
		steps: Array<string | StatusStep>,
		private since: number,
	) {
		this.steps = steps.map((step) => (typeof step === 'string' ? { status: step } : step));
	}

	/** A poll: a status that has been seen gives way to the next one, unless it has its own time. */
	look(now: number): string {
		if (this.isSeen && this.current.seconds === undefined) this.skip(now);
		const status = this.status(now);
		this.isSeen = true;
		return status;
	}

	status(now: number): string {
		while (!this.isLast && now >= this.ends) this.skip(this.ends);
		return this.current.status;
	}

	/** Goes on to the next status, as long as there is one. */
	skip(now: number): void {
		if (this.isLast) return;
		this.index++;
		this.isSeen = false;
		this.since = now;
	}

	get isLast(): boolean {
		return this.index >= this.steps.length - 1;
	}

	/** When the present status has had its time; without `seconds`, a poll ends it. */
	private get ends(): number {
		const { seconds } = this.current;
		return seconds === undefined ? Infinity : this.since + seconds * 1000;
	}

	private get current(): StatusStep {
		return this.steps[this.index] ?? { status: 'running' };
	}
}
