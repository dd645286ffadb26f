import type { NodeExecutionHint } from 'n8n-workflow';

import { toPlainText } from '../errors/plainText';

// Nobody wonders about a shorter delay.
const MIN_DELAY_SHOWN_MS = 5_000;

/** What became of a run's jobs, for the hint that the editor shows after the run. */
export class RunSummary {
	private started = 0;

	private maxQueuedMs = 0;

	private readonly ended = new Map<string, number>();

	/** A job was started, `queuedMs` after its turn had come in this node. */
	noteStart(queuedMs: number): void {
		this.started++;
		this.maxQueuedMs = Math.max(this.maxQueuedMs, queuedMs);
	}

	/** The wait for a job is over, and this is its status, as text that is safe to show. */
	noteEnd(status: string): void {
		this.ended.set(status, (this.ended.get(status) ?? 0) + 1);
	}

	/** Undefined for a single job without a delay: its item says everything. */
	toHint(): NodeExecutionHint | undefined {
		const waitedFor = [...this.ended.values()].reduce((sum, count) => sum + count, 0);
		const jobs = Math.max(this.started, waitedFor);
		const isDelayed = this.maxQueuedMs >= MIN_DELAY_SHOWN_MS;
		if (jobs < 2 && !isDelayed) return undefined;

		const statuses = [...this.ended].map(([status, count]) => `${count} ${status}`).join(', ');
		const counts = statuses === '' ? `${jobs} started` : statuses;
		const delay = isDelayed
			? ` The account's rate limit delayed starts by up to ${Math.round(this.maxQueuedMs / 1000)} s.`
			: '';
		return {
			message: toPlainText(`${jobs} ${jobs === 1 ? 'job' : 'jobs'}: ${counts}.${delay}`),
			type: 'info',
			location: 'outputPane',
		};
	}
}
