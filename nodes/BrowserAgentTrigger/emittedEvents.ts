import type { IDataObject } from 'n8n-workflow';

import { isFinal } from '../jobs/status';
import { TRIGGER_EVENTS, type TriggerEvent } from '../parameters/triggerOn';

/** How many jobs are remembered for each event. */
const MAX_JOBS = 10_000;
const FINAL = TRIGGER_EVENTS.filter((status) => isFinal({ status }));

type JobsByEvent = Record<TriggerEvent, Set<string>>;
type StoredJobs = Partial<Record<TriggerEvent, string[]>>;

/**
 * Which events were emitted for which jobs, and where the next poll begins. It lives in the node's
 * static data, which n8n saves for certain only when something is emitted: what got lost is found
 * again in the service's responses. A job is remembered whether or not it is still on the list.
 */
export class EmittedEvents {
	private readonly emitted: JobsByEvent;

	/** Final statuses that were seen, but are not to be emitted. */
	private readonly ignored: JobsByEvent;

	/** The first job that the last poll had no time for. */
	private cursor: string | undefined;

	constructor(private readonly staticData: IDataObject) {
		this.emitted = toJobsByEvent(staticData.emitted);
		this.ignored = toJobsByEvent(staticData.ignored);
		this.cursor = typeof staticData.cursor === 'string' ? staticData.cursor : undefined;
	}

	/** The jobs in the order in which they are polled: first those that the last poll had no time for. */
	inOrder(jobIds: string[]): string[] {
		const first = Math.max(0, jobIds.indexOf(this.cursor ?? ''));
		return [...jobIds.slice(first), ...jobIds.slice(0, first)];
	}

	/** The next poll begins with this job. */
	continueAt(jobId: string | undefined): void {
		this.cursor = jobId;
	}

	/** Whether no poll of the job can bring an event any more. */
	isDone(jobId: string, triggerOn: TriggerEvent[]): boolean {
		return FINAL.some(
			(event) =>
				this.isEmitted(jobId, event) ||
				(this.ignored[event].has(jobId) && !triggerOn.includes(event)),
		);
	}

	isEmitted(jobId: string, event: TriggerEvent): boolean {
		return this.emitted[event].has(jobId);
	}

	/** Remembers an event, and whether it is emitted. */
	record(jobId: string, event: TriggerEvent, isEmitted: boolean): void {
		(isEmitted ? this.emitted : this.ignored)[event].add(jobId);
	}

	/** Writes everything down for the next poll. When it is full, the jobs on the list stay. */
	save(watchedIds: string[]): void {
		const watched = new Set(watchedIds);
		// New objects, since n8n does not notice a change within the old ones.
		this.staticData.emitted = toStored(this.emitted, watched);
		this.staticData.ignored = toStored(this.ignored, watched);
		if (this.cursor === undefined) delete this.staticData.cursor;
		else this.staticData.cursor = this.cursor;
	}
}

function toJobsByEvent(stored: unknown): JobsByEvent {
	const byEvent = (stored ?? {}) as StoredJobs;
	const entries = TRIGGER_EVENTS.map((event) => [event, new Set(byEvent[event])]);
	return Object.fromEntries(entries) as JobsByEvent;
}

function toStored(jobs: JobsByEvent, watched: Set<string>): StoredJobs {
	const kept = TRIGGER_EVENTS.map((event) => [event, newest([...jobs[event]], watched)] as const);
	return Object.fromEntries(kept.filter(([, jobIds]) => jobIds.length > 0));
}

function newest(jobIds: string[], watched: Set<string>): string[] {
	if (jobIds.length <= MAX_JOBS) return jobIds;
	const gone = jobIds.filter((jobId) => !watched.has(jobId));
	return [...gone, ...jobIds.filter((jobId) => watched.has(jobId))].slice(-MAX_JOBS);
}
