import type { Step } from './agent/Step';
import type { JobRecord } from './jobs/JobRecord';

const REFUSED_INTERVAL_MS = 60_000;

/**
 * The log of a service: one line for each start, change, step and end of a job, and for starts
 * that are refused for now. No line has what a
 * page shows, what is typed, a key, or an address beyond its host.
 */
export class Log {
	/** When each reason for which starts are refused was logged last. */
	private readonly refusedAt = new Map<string, number>();

	constructor(
		private readonly write: (line: string) => void,
		private readonly now: () => number = Date.now,
	) {}

	/** The line of a job's start says which model acts. */
	jobStarted({ id, kind, workflowId, model, requestedModel }: JobRecord): void {
		const what = workflowId === undefined ? kind : `workflow ${workflowId}`;
		const asked = requestedModel === undefined ? '' : ` (for '${requestedModel}')`;
		this.line(`${id} started: ${what}, model ${model}${asked}`);
	}

	/** Clients try again: each reason has a line once a minute at most. */
	startRefused(reason: string): void {
		const last = this.refusedAt.get(reason) ?? -Infinity;
		if (this.now() - last < REFUSED_INTERVAL_MS) return;
		this.refusedAt.set(reason, this.now());
		this.line(`start refused: ${reason}`);
	}

	jobChanged({ id, status }: JobRecord): void {
		this.line(`${id} ${status}`);
	}

	step(id: string, { number, tool, address, ms, inputTokens, outputTokens, error }: Step): void {
		const hasCount = inputTokens !== undefined || outputTokens !== undefined;
		const tokens = hasCount ? `, ${inputTokens ?? '?'}+${outputTokens ?? '?'} tokens` : '';
		const failed = error === undefined ? '' : ', failed';
		this.line(`${id} step ${number}: ${tool} ${hostOf(address)}, ${ms} ms${tokens}${failed}`);
	}

	/** The text of a failure after its first colon may come from others, so it is not logged. */
	jobEnded({ id, status, error, creditsUsed, createdAt, endedAt = createdAt }: JobRecord): void {
		const why = error === undefined ? '' : `: ${error.split(': ')[0]}`;
		const seconds = Math.round((endedAt - createdAt) / 1000);
		this.line(
			`${id} ${status} after ${creditsUsed} ${creditsUsed === 1 ? 'step' : 'steps'} and ${seconds} s${why}`,
		);
	}

	damagedJob(id: string): void {
		this.line(`${id} has a damaged record and counts as failed; its folder is kept`);
	}

	warning(text: string): void {
		this.line(`warning: ${text}`);
	}

	/** A defect of the service itself, with its stack. */
	defect(error: unknown): void {
		this.line(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
	}

	private line(text: string): void {
		const printable = text.replace(/[^\n\t\x20-\x7e\u00a0-\uffff]/g, '?');
		this.write(`${new Date(this.now()).toISOString()} ${printable}`);
	}
}

function hostOf(address: string): string {
	const url = URL.canParse(address) ? new URL(address) : undefined;
	// A page of the browser itself, such as one that could not be loaded, has no host.
	return url?.protocol.startsWith('http') ? url.host : '-';
}
