import type { IDataObject } from 'n8n-workflow';

import { hasEnded } from '../jobs/status';
import type { TriggerEvent } from '../parameters/triggerOn';

const MAX_JOBS = 10_000;

/**
 * Which events of which jobs were seen, so that each is emitted once. It is kept in the node's
 * static data, which n8n saves reliably only when something is emitted. Changes that were not saved
 * are found again by polling.
 */
export class EmittedEvents {
	private readonly jobs: Map<string, TriggerEvent[]>;

	constructor(private readonly staticData: IDataObject) {
		const { jobs } = staticData;
		this.jobs = new Map(Array.isArray(jobs) ? (jobs as Array<[string, TriggerEvent[]]>) : []);
	}

	/**
	 * The jobs in the order in which they are polled: first those that the last poll had no time for.
	 */
	startingAtCursor(jobIds: string[]): string[] {
		const first = Math.max(0, jobIds.indexOf(this.staticData.cursor as string));
		return [...jobIds.slice(first), ...jobIds.slice(0, first)];
	}

	/** Whether no poll of the job can bring an event any more. */
	isDone(jobId: string): boolean {
		return this.eventsOf(jobId).some((status) => hasEnded({ status }));
	}

	isRecorded(jobId: string, event: TriggerEvent): boolean {
		return this.eventsOf(jobId).includes(event);
	}

	/** Remembers an event, whether or not the user has chosen it. */
	record(jobId: string, event: TriggerEvent): void {
		this.jobs.set(jobId, [...new Set([...this.eventsOf(jobId), event])]);
	}

	/**
	 * Saves the events; the next poll begins with `cursor`. Of more than 10,000 jobs, those that are
	 * no longer watched are dropped first.
	 */
	save(watchedIds: string[], cursor?: string): void {
		const watched = new Set(watchedIds);
		const jobs = [...this.jobs];
		const gone = jobs.filter(([jobId]) => !watched.has(jobId));
		const onList = jobs.filter(([jobId]) => watched.has(jobId));
		// A new array, since n8n does not notice a change within the old one.
		this.staticData.jobs = [...gone, ...onList].slice(-MAX_JOBS);
		this.staticData.cursor = cursor;
	}

	private eventsOf(jobId: string): TriggerEvent[] {
		return this.jobs.get(jobId) ?? [];
	}
}
