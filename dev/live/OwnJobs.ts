import { isDeepStrictEqual } from 'node:util';

import { document, violationsOf } from '../openApiDocument';
import type { RealClock } from '../sandbox/types';
import type { Findings } from './Findings';
import type { Answer, ServiceClient } from './ServiceClient';

export const MAX_JOBS = 5;

const START = '/v1/run_browser_agent';
const STATUS = '/v1/get_job_status/{job_id}';
const POLL_INTERVAL_MS = 3000;
const MAX_ID_CHARACTERS = 200;
/** A job that can't be polled this often in a row is given up. */
const MAX_USELESS_POLLS = 10;
/** How often a start is sent that is refused with a 429, after which certainly nothing runs. */
const MAX_START_TRIES = 4;
const MAX_RETRY_AFTER_S = 60;
const DEFAULT_RETRY_AFTER_S = 15;
const ENDED = ['completed', 'failed', 'canceled', 'cancelled'];

const STATUSES: string[] = document.components.schemas.JobRunStatus.enum;
const MORE_FIELDS = Object.keys(document.components.schemas.JobStatusResponse.allOf[0].properties);

/** What a poll has shown. */
export interface Poll {
	atMs: number;
	status: string;
	body: Record<string, unknown>;
}

/** A job that the kit has started. */
export interface OwnJob {
	id: string;
	/** For the user. */
	purpose: string;
	polls: Poll[];
	/** Until its end has been seen. */
	isOpen: boolean;
}

interface OwnJobsParts {
	client: ServiceClient;
	findings: Findings;
	clock: RealClock;
	signal: AbortSignal;
	say(line: string): void;
}

/**
 * The jobs that the kit starts: at most five, whose IDs are printed at once. A start whose outcome
 * is not known is never repeated, and is the last one.
 */
export class OwnJobs {
	readonly all: OwnJob[] = [];
	/** Why no further job is started. */
	closedBecause?: string;
	/** Starts that have started a job, or may have. */
	private spent = 0;

	constructor(private readonly parts: OwnJobsParts) {}

	/**
	 * Sends a start, and again if it is refused with a 429. One that is known to be refused is sent
	 * once, also after the last job. Returns its answer, or why it was not sent, and the job if there
	 * is one.
	 */
	async start(
		purpose: string,
		path: string,
		body: object,
		{ key, isKnownRefused = false }: { key?: null; isKnownRefused?: boolean } = {},
	): Promise<{ answer?: Answer; job?: OwnJob; reason: string }> {
		const { client, clock, signal } = this.parts;
		for (let tries = 1; ; tries++) {
			const reason = this.whyNot(isKnownRefused);
			if (reason !== undefined) return { reason };
			const answer = await client.call('POST', path, { body, key });
			const job = this.enter(purpose, answer);
			const isLimited = answer.status === 429 && job === undefined;
			if (!isLimited || isKnownRefused || tries === MAX_START_TRIES) {
				return { answer, job, reason: client.describe(answer) };
			}
			await clock.sleep(readRetryAfter(answer) * 1000, signal);
		}
	}

	/** Polls the job until `isOver` holds or it has ended. Returns the last useful poll. */
	async wait(
		job: OwnJob,
		limitMs: number,
		isOver: (poll: Poll) => boolean = () => false,
		onPoll: () => Promise<void> = async () => {},
	): Promise<Poll | undefined> {
		const { clock, signal } = this.parts;
		const deadline = clock.now() + limitMs;
		let useless = 0;
		while (!signal.aborted && clock.now() < deadline && useless < MAX_USELESS_POLLS) {
			const poll = await this.poll(job);
			useless = poll ? 0 : useless + 1;
			if (poll && (!job.isOpen || isOver(poll))) break;
			await onPoll();
			await clock.sleep(POLL_INTERVAL_MS, signal);
		}
		if (useless === MAX_USELESS_POLLS) {
			this.closedBecause ??= `job ${this.nameOf(job)} cannot be polled`;
		}
		return job.polls.at(-1);
	}

	/** Polls the job once. Returns undefined if the answer has no status. */
	async poll(job: OwnJob): Promise<Poll | undefined> {
		const { client, clock, findings } = this.parts;
		const answer = await client.call('GET', toJobPath('get_job_status', job));
		if (answer.status === 429) return undefined;
		const body = toFields(answer.json);
		const { status } = body;
		if (typeof status !== 'string') {
			findings.note('status', false, client.describe(answer));
			return undefined;
		}
		const poll = { atMs: clock.now(), status, body };
		job.polls.push(poll);
		if (job.isOpen && ENDED.includes(status)) {
			job.isOpen = false;
			this.parts.say(`Job ${this.nameOf(job)} has ended: ${client.show(status)}`);
		}
		this.note(poll, answer);
		return poll;
	}

	/** Pauses those that have not ended. Returns the IDs of those that may be running still. */
	async leave(): Promise<string[]> {
		const running: string[] = [];
		for (const job of this.all.filter(({ isOpen }) => isOpen)) {
			const before = await this.poll(job);
			if (!job.isOpen || before?.status === 'paused') continue;
			await this.parts.client.call('POST', toJobPath('pause_job', job));
			const after = await this.poll(job);
			if (!job.isOpen || after?.status === 'paused') {
				this.parts.say(`Job ${this.nameOf(job)} is paused, so that it does not go on`);
			} else running.push(this.nameOf(job));
		}
		return running;
	}

	private whyNot(isKnownRefused: boolean): string | undefined {
		if (this.parts.signal.aborted) return 'stopped before';
		if (this.closedBecause !== undefined) return this.closedBecause;
		const isLast = this.spent >= MAX_JOBS && !isKnownRefused;
		return isLast ? `${MAX_JOBS} jobs were started` : undefined;
	}

	private enter(purpose: string, answer: Answer): OwnJob | undefined {
		const { client, say } = this.parts;
		const { job_id: id } = toFields(answer.json);
		const isId = (typeof id === 'string' && id !== '') || typeof id === 'number';
		if (isId) {
			this.spent++;
			const job = { id: String(id), purpose, polls: [], isOpen: true };
			this.all.push(job);
			say(`Job ${this.nameOf(job)} was started: ${purpose}`);
			return job;
		}
		if (mayHaveStarted(answer)) {
			this.spent++;
			this.closedBecause = 'the outcome of a start is not known';
			say(
				`Whether a job was started (${purpose}) is not known: ${client.describe(answer)}. ` +
					'Look for it where the service lists jobs. No further job is started.',
			);
		}
		return undefined;
	}

	/** The ID, safe to show. */
	private nameOf({ id }: OwnJob): string {
		return this.parts.client.show(id, MAX_ID_CHARACTERS);
	}

	/** Enters what each poll shows. */
	private note({ status, body }: Poll, answer: Answer): void {
		const { client, findings } = this.parts;
		findings.note('status', STATUSES.includes(status), client.show(status));
		const present = MORE_FIELDS.filter((name) => (body[name] ?? null) !== null);
		const wrong = violationsOf(body, 200, STATUS, 'get').filter((line) =>
			MORE_FIELDS.some((name) => line.startsWith(`#/${name}`)),
		);
		if (wrong.length > 0) findings.note('moreFields', false, client.show(wrong[0] ?? ''));
		else if (present.length === 0) findings.noteUnseen('moreFields', client.describe(answer));
		else findings.note('moreFields', true, `${present.length} of ${MORE_FIELDS.length}`);

		const { output = null, error = null } = body;
		if (ENDED.includes(status)) {
			const isText = error === null || typeof error === 'string';
			findings.note('errorText', isText, error === null ? '`null`' : typeof error);
		} else if (STATUSES.includes(status)) {
			const early = isDeepStrictEqual([output, error], [null, null]);
			const seen = early ? `none while ${status}` : `something while ${status}`;
			findings.note('nullBefore', early, seen);
		}
	}
}

/** The path of an operation on the job. */
export function toJobPath(operation: string, { id }: Pick<OwnJob, 'id'>): string {
	return `/v1/${operation}/${encodeURIComponent(id)}`;
}

/** The fields of a JSON object, and none of anything else. */
export function toFields(json: unknown): Record<string, unknown> {
	return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
}

/** What is wrong with the answer to an agent's start. */
export function violationsOfStart({ json }: Answer): string[] {
	return violationsOf(json, 200, START, 'post');
}

// A refusal has started nothing, except that a 408 can come from something in between.
function mayHaveStarted({ status, isUnsent }: Answer): boolean {
	const isRefusal = status >= 400 && status < 500 && status !== 408;
	return !isRefusal && isUnsent !== true;
}

function readRetryAfter({ headers }: Answer): number {
	const seconds = Number(headers.get('retry-after') ?? Number.NaN);
	return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_S) : DEFAULT_RETRY_AFTER_S;
}
