import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

/** What the trigger can tell of a job: how it ended, that it is paused, or that nobody knows it. */
export const EVENTS = [
	'completed',
	'failed',
	'user_taken_over',
	'canceled',
	'paused',
	'not_found',
] as const;

export type Event = (typeof EVENTS)[number];

// One letter an event: a capital for told, a small one for seen, but not asked for.
const LETTERS: Record<Event, string> = {
	completed: 'c',
	failed: 'f',
	user_taken_over: 'u',
	canceled: 'x',
	paused: 'p',
	not_found: 'n',
};

const FINAL: Event[] = ['completed', 'failed', 'user_taken_over', 'canceled'];
const KEY_LENGTH = 8;

/**
 * What has been told of which job. It lives in the node's static data, one small column of n8n's
 * database that is saved for certain only with an event: an entry may get lost, and is then made
 * again from the service's answer, so nothing here is needed to be right. A job takes about 15 bytes.
 */
export class Memory {
	private readonly notes: Map<string, string>;

	private nextKey: string | undefined;

	constructor(private readonly staticData: IDataObject) {
		const { told = {}, next } = staticData as { told?: Record<string, string>; next?: string };
		this.notes = new Map(Object.entries(told));
		this.nextKey = next;
	}

	/** The jobs in the order in which they are to be looked at: those that have waited longest first. */
	inTurn(jobIds: string[]): string[] {
		const first = jobIds.findIndex((jobId) => toKey(jobId) === this.nextKey);
		return first === -1 ? jobIds : [...jobIds.slice(first), ...jobIds.slice(0, first)];
	}

	/** Where the next poll begins: with the first job that this one did not get to. */
	goOnWith(jobId: string | undefined): void {
		this.nextKey = jobId === undefined ? undefined : toKey(jobId);
	}

	/** Whether looking at the job again could bring no event that is asked for. */
	isDone(jobId: string, triggerOn: Event[]): boolean {
		const note = this.noteOf(jobId);
		return FINAL.some((event) => {
			const isSeen = note.includes(LETTERS[event]) && !triggerOn.includes(event);
			return isSeen || note.includes(LETTERS[event].toUpperCase());
		});
	}

	isTold(jobId: string, event: Event): boolean {
		return this.noteOf(jobId).includes(LETTERS[event].toUpperCase());
	}

	/** Notes that an event was seen, and whether it starts the workflow now. */
	note(jobId: string, event: Event, isTold: boolean): void {
		const letter = isTold ? LETTERS[event].toUpperCase() : LETTERS[event];
		const note = this.noteOf(jobId);
		if (!note.includes(letter)) this.notes.set(toKey(jobId), note + letter);
	}

	/** Writes it down for the next poll, without the jobs that are not watched any more. */
	save(jobIds: string[]): void {
		const watched = new Set(jobIds.map(toKey));
		const told = Object.fromEntries([...this.notes].filter(([key]) => watched.has(key)));
		// A new object, since n8n does not notice a change inside the old one.
		this.staticData.told = told;
		if (this.nextKey === undefined) delete this.staticData.next;
		else this.staticData.next = this.nextKey;
	}

	private noteOf(jobId: string): string {
		return this.notes.get(toKey(jobId)) ?? '';
	}
}

function toKey(jobId: string): string {
	return createHash('sha256').update(jobId).digest('base64url').slice(0, KEY_LENGTH);
}
