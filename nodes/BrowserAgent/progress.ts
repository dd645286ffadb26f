import type { NodeExecutionHint } from 'n8n-workflow';

// Shorter than this, nobody wonders what the node has been doing.
const WORTH_TELLING_MS = 5_000;

/** What became of a node run's jobs, for the hint that the editor shows after the run. */
export class Progress {
	private started = 0;

	private longestQueueMs = 0;

	private readonly ended = new Map<string, number>();

	/** A job was started, `queuedMs` after it was its turn in this node. */
	noteStart(queuedMs: number): void {
		this.started++;
		this.longestQueueMs = Math.max(this.longestQueueMs, queuedMs);
	}

	/** The wait for a job is over, and this is its status. */
	noteEnd(status: string): void {
		this.ended.set(status, (this.ended.get(status) ?? 0) + 1);
	}

	/** Nothing for one job that went straight through: its item says it all. */
	toHint(): NodeExecutionHint | undefined {
		const waitedFor = [...this.ended.values()].reduce((sum, count) => sum + count, 0);
		const jobs = Math.max(this.started, waitedFor);
		const isHeldUp = this.longestQueueMs >= WORTH_TELLING_MS;
		if (jobs < 2 && !isHeldUp) return undefined;

		const statuses = [...this.ended].map(([status, count]) => `${count} ${status}`).join(', ');
		const counts = statuses === '' ? `${jobs} started` : statuses;
		const queue = isHeldUp
			? ` The account's rate limit made a job wait up to ${Math.round(this.longestQueueMs / 1000)} s for its start.`
			: '';
		return {
			message: `${jobs} ${jobs === 1 ? 'job' : 'jobs'}: ${counts}.${queue}`,
			type: 'info',
			location: 'outputPane',
		};
	}
}
