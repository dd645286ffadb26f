import type { IDataObject } from 'n8n-workflow';

import { hasFinalStatus } from '../jobs/status';
import type { TriggerEvent } from '../parameters/triggerOn';

const MAX_JOBS = 10_000;

/**
 * Tracks which events of which jobs were seen, so that each is emitted once. They are kept in the
 * node's static data, which n8n saves reliably only when something is emitted. An event that was
 * not saved is found again by a later poll.
 */
export class EmittedEvents {
	private readonly jobs: Map<string, TriggerEvent[]>;

	constructor(private readonly staticData: IDataObject) {
		const { jobs } = staticData;
		this.jobs = new Map(Array.isArray(jobs) ? (jobs as Array<[string, TriggerEvent[]]>) : []);
	}

	/** Returns the jobs in the order to poll them: from the saved cursor on, then those before it. */
	startingAtCursor(jobIds: string[]): string[] {
		const first = Math.max(0, jobIds.indexOf(this.staticData.cursor as string));
		return [...jobIds.slice(first), ...jobIds.slice(0, first)];
	}

	/** Whether the job was seen to end, so that it can have no more events. */
	isDone(jobId: string): boolean {
		// Events are named after the status that they report.
		return this.eventsOf(jobId).some((status) => hasFinalStatus({ status }));
	}

	/** Whether this event of the job was seen. */
	isRecorded(jobId: string, event: TriggerEvent): boolean {
		return this.eventsOf(jobId).includes(event);
	}

	/** Records an event, whether or not the user has chosen it. Nothing is kept without `save`. */
	record(jobId: string, event: TriggerEvent): void {
		this.jobs.set(jobId, [...new Set([...this.eventsOf(jobId), event])]);
	}

	/**
	 * Saves the events, and the job with which the next poll begins. If there are more than 10,000
	 * jobs, drops some, first those that are not among `watchedIds`. If `cursor` is unset, the next
	 * poll begins with the first job.
	 */
	save(watchedIds: string[], cursor?: string): void {
		const watched = new Set(watchedIds);
		const jobs = [...this.jobs];
		const unwatched = jobs.filter(([jobId]) => !watched.has(jobId));
		const stillWatched = jobs.filter(([jobId]) => watched.has(jobId));
		// A new array, since n8n does not notice a change within the old one.
		this.staticData.jobs = [...unwatched, ...stillWatched].slice(-MAX_JOBS);
		this.staticData.cursor = cursor;
	}

	private eventsOf(jobId: string): TriggerEvent[] {
		return this.jobs.get(jobId) ?? [];
	}
}
