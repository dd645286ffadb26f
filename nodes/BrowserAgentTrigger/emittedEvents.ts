import type { IDataObject } from 'n8n-workflow';

import { TRIGGER_EVENTS, type TriggerEvent } from '../parameters/triggerOn';

/** How many jobs are remembered for each event. */
const MAX_JOBS = 10_000;
// A user who has taken over may hand the browser back.
const FINAL: TriggerEvent[] = ['completed', 'failed', 'canceled'];

type JobsByEvent = Map<TriggerEvent, Set<string>>;
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
		const first = jobIds.findIndex((jobId) => jobId === this.cursor);
		return first === -1 ? jobIds : [...jobIds.slice(first), ...jobIds.slice(0, first)];
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
				(this.ignored.get(event)?.has(jobId) === true && !triggerOn.includes(event)),
		);
	}

	isEmitted(jobId: string, event: TriggerEvent): boolean {
		return this.emitted.get(event)?.has(jobId) === true;
	}

	/** Remembers an event, and whether it is emitted. */
	note(jobId: string, event: TriggerEvent, isEmitted: boolean): void {
		this.setOf(isEmitted ? this.emitted : this.ignored, event).add(jobId);
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

	private setOf(jobs: JobsByEvent, event: TriggerEvent): Set<string> {
		const known = jobs.get(event) ?? new Set();
		jobs.set(event, known);
		return known;
	}
}

function toJobsByEvent(stored: unknown): JobsByEvent {
	const byEvent = (stored ?? {}) as StoredJobs;
	return new Map(TRIGGER_EVENTS.map((event) => [event, new Set(byEvent[event])]));
}

function toStored(jobs: JobsByEvent, watched: Set<string>): StoredJobs {
	return Object.fromEntries(
		[...jobs].flatMap(([event, ids]) => {
			const kept = ids.size > MAX_JOBS ? newest(ids, watched) : [...ids];
			return kept.length === 0 ? [] : [[event, kept]];
		}),
	);
}

function newest(ids: Set<string>, watched: Set<string>): string[] {
	const all = [...ids];
	const gone = all.filter((jobId) => !watched.has(jobId));
	return [...gone, ...all.filter((jobId) => watched.has(jobId))].slice(-MAX_JOBS);
}
