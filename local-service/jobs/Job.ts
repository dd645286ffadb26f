import { untilAborted } from '../abort';
import type { JobBrowser, PersonInput } from '../browser/JobBrowser';
import type { Step } from '../agent/Step';
import { JobFailure } from '../JobFailure';
import type { Clock } from './clock';
import type { JobRecord, JobStatus, RecordedFile } from './JobRecord';

type JobEvent = 'opened' | 'pause' | 'resume' | 'takeOver' | 'complete' | 'fail';

const ENDED = {};

/** All changes of a job's status. An event that a status doesn't have is refused. */
const TRANSITIONS: Record<JobStatus, Partial<Record<JobEvent, JobStatus>>> = {
	provisioning: { opened: 'running', pause: 'paused', fail: 'failed' },
	running: {
		pause: 'paused',
		takeOver: 'user_taken_over',
		complete: 'completed',
		fail: 'failed',
	},
	paused: { resume: 'running', takeOver: 'user_taken_over', fail: 'failed' },
	user_taken_over: { resume: 'running', fail: 'failed' },
	completed: ENDED,
	failed: ENDED,
};

const MINUTE_MS = 60_000;
/** A browser that needs longer will not start at all. */
const MAX_PROVISIONING_MS = 2 * MINUTE_MS;
const MAX_PAUSE_MS = 6 * 60 * MINUTE_MS;
/** How many steps the live view shows. */
const LAST_STEPS = 10;

/** The limits of one job. */
export interface JobLimits {
	/** Counts the time in which the job is running only. */
	maxDurationMinutes: number;
	/** Of a job that a person has taken over: how long nothing may be entered. */
	idleTimeoutMinutes: number;
}

/** What a step has cost, as far as the model's server says so. */
export interface Usage {
	inputTokens?: number;
	outputTokens?: number;
}

/** What the agent of a job is handed. */
export interface JobTask {
	browser: JobBrowser;
	/** Aborted at the job's end, with a JobFailure as its reason unless it has completed. */
	signal: AbortSignal;
	/**
	 * Resolves when the agent may act: at once while the job is running, else when it is resumed.
	 * Rejects when the job has ended. `wasHeld`: since the last call it has not always been running;
	 * `takenOver`: a person has had the browser meanwhile.
	 */
	mayAct(): Promise<{ wasHeld: boolean; takenOver: boolean }>;
	/** Charges one step. Throws a JobFailure when no credits are left. */
	charge(usage: Usage): void;
	/** Enters a step into the history and the log. Throws a JobFailure if that can't be written. */
	record(step: Step): void;
}

/** What a job needs of the service. */
export interface JobParts {
	clock: Clock;
	limits: JobLimits;
	/** Writes the record to disk. Throws a JobFailure if it can't be written. */
	save(record: JobRecord): void;
	/** Writes a step to history and log. Throws a JobFailure if it can't be written. */
	saveStep(step: Step): void;
	/** Takes one credit from the account. Throws a JobFailure if none is left. */
	takeCredit(): void;
	/** Opens the job's browser. Rejects with a JobFailure. */
	open(signal: AbortSignal): Promise<JobBrowser>;
	/** Runs the agent to its end, and resolves with its answer. Rejects with a JobFailure. */
	work(task: JobTask): Promise<unknown>;
	/** Turns a browser's downloads into the files of the record. */
	toFiles(browser: JobBrowser): RecordedFile[];
	/** Closes the browser of an ended job, or keeps it open. Never rejects. */
	release(browser: JobBrowser): Promise<void>;
	/** The status has changed. */
	onChange(job: Job): void;
	/** An error other than a JobFailure was thrown: a defect of the service. */
	onDefect(error: unknown): void;
}

/**
 * A job: its status, which changes here only, and the limits of each status. Its record is on disk
 * before a change is seen by anybody.
 */
export class Job {
	/** The newest steps, oldest first, without their screenshots. */
	readonly lastSteps: Omit<Step, 'screenshot'>[] = [];

	private readonly ending = new AbortController();
	private browser: JobBrowser | undefined;
	/** Resolves when the job has ended and its browser is closed or kept. */
	private work: Promise<void> = Promise.resolve();
	private ranMs = 0;
	private since: number;
	private wasHeld = false;
	private wasTakenOver = false;
	private stopLimit = () => {};
	/** Those that wait for the next change of the status. */
	private waiting: (() => void)[] = [];

	constructor(
		private current: JobRecord,
		private readonly parts: JobParts,
	) {
		this.since = current.updatedAt;
	}

	get id(): string {
		return this.current.id;
	}

	/** What is known about the job now; replaced, never changed. */
	get record(): JobRecord {
		return this.current;
	}

	get status(): JobStatus {
		return this.current.status;
	}

	/** When the status changed last, in ms since 1970. */
	get statusSince(): number {
		return this.since;
	}

	get hasEnded(): boolean {
		return this.current.endedAt !== undefined;
	}

	/** Whether a person can take the job over now. */
	get canBeTakenOver(): boolean {
		return this.browser !== undefined && TRANSITIONS[this.status].takeOver !== undefined;
	}

	/** Resolves when the job has ended and its browser is closed or kept. Never rejects. */
	get released(): Promise<void> {
		return this.work;
	}

	/** Opens the browser and runs the agent. The record must be on disk. */
	begin(): void {
		this.setLimit();
		this.work = this.run();
	}

	/** Holds the agent's next action. Returns false unless the job is provisioning or running. */
	pause(): boolean {
		return this.send('pause');
	}

	/** Returns false unless the job is paused or taken over. */
	resume(): boolean {
		return this.send('resume');
	}

	/** Gives the browser to a person. Returns false unless the job has one, and runs or is paused. */
	takeOver(): boolean {
		if (!this.canBeTakenOver || !this.send('takeOver')) return false;
		this.wasTakenOver = true;
		return true;
	}

	/** Gives the browser back to the agent. Returns false unless the job is taken over. */
	handBack(): boolean {
		return this.status === 'user_taken_over' && this.send('resume');
	}

	/** Ends the job, unless it has ended. */
	fail(failure: JobFailure): void {
		this.send('fail', { error: failure.message }, failure);
	}

	/**
	 * Passes on what a person enters, which keeps the job from being idle. Returns false unless the
	 * job is taken over. Rejects if the browser doesn't take it.
	 */
	async input(event: PersonInput): Promise<boolean> {
		if (this.status !== 'user_taken_over' || !this.browser) return false;
		this.setLimit();
		await this.browser.input(event);
		return true;
	}

	/** The browser's picture as a JPEG, or nothing while there is none. */
	async picture(): Promise<Buffer | undefined> {
		return this.hasEnded ? undefined : await this.browser?.screenshot();
	}

	/**
	 * Replaces the directive by the one with its inputs. Throws a JobFailure if it can't be written.
	 */
	setDirective(directive: string): void {
		this.write({ directive });
	}

	/** The kept browser is closed, and its address leads nowhere. */
	forgetCdpUrl(): void {
		this.current = { ...this.current, cdpUrl: undefined };
		try {
			this.parts.save(this.current);
		} catch {
			// The next start of the service forgets it.
		}
	}

	private async run(): Promise<void> {
		const { signal } = this.ending;
		try {
			this.browser = await this.parts.open(signal);
			signal.throwIfAborted();
			const { gone, cdpUrl } = this.browser;
			if (gone.aborted) throw gone.reason;
			gone.addEventListener('abort', () => this.fail(toFailure(gone.reason)), { signal });
			if (cdpUrl !== undefined) this.write({ cdpUrl });
			this.send('opened');

			await this.mayAct();
			const working = this.parts.work(this.toTask(this.browser));
			// Work that doesn't notice its end is ended by closing the browser.
			const output = await untilAborted(working, signal);
			await this.browser.finishDownloads(signal);
			// A job that was paused at the last moment completes only after it is resumed.
			do await this.mayAct();
			while (!this.send('complete', { output: output ?? null }));
		} catch (error) {
			if (!this.hasEnded && !(error instanceof JobFailure)) this.parts.onDefect(error);
			this.fail(toFailure(error));
		}
		if (this.browser) await this.parts.release(this.browser);
		this.browser = undefined;
	}

	private toTask(browser: JobBrowser): JobTask {
		return {
			browser,
			signal: this.ending.signal,
			mayAct: async () => await this.mayAct(),
			charge: (usage) => this.charge(usage),
			record: (step) => this.enter(step),
		};
	}

	private async mayAct(): Promise<{ wasHeld: boolean; takenOver: boolean }> {
		for (;;) {
			this.ending.signal.throwIfAborted();
			if (this.status === 'running') break;
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		const held = { wasHeld: this.wasHeld, takenOver: this.wasTakenOver };
		this.wasHeld = false;
		this.wasTakenOver = false;
		return held;
	}

	private charge({ inputTokens = 0, outputTokens = 0 }: Usage): void {
		this.ending.signal.throwIfAborted();
		this.parts.takeCredit();
		this.write({
			creditsUsed: this.current.creditsUsed + 1,
			inputTokens: this.current.inputTokens + inputTokens,
			outputTokens: this.current.outputTokens + outputTokens,
		});
	}

	private enter(step: Step): void {
		this.ending.signal.throwIfAborted();
		const { screenshot: _onDisk, ...shown } = step;
		this.lastSteps.push(shown);
		if (this.lastSteps.length > LAST_STEPS) this.lastSteps.shift();
		this.parts.saveStep(step);
		if (this.browser?.downloads.length !== this.current.files.length) this.write({});
	}

	/** The only place where the status changes. Returns false if it doesn't have this event. */
	private send(event: JobEvent, changes: Partial<JobRecord> = {}, failure?: JobFailure): boolean {
		const before = this.status;
		const status = TRANSITIONS[before][event];
		if (status === undefined) return false;

		const isEnd = TRANSITIONS[status] === ENDED;
		const now = this.parts.clock.now();
		const changed: Partial<JobRecord> = { ...changes, status, ...(isEnd && { endedAt: now }) };
		try {
			this.write(changed);
		} catch (error) {
			// A change that isn't on disk has not happened, except for a failure.
			if (status !== 'failed') {
				this.fail(toFailure(error));
				return false;
			}
			this.current = this.with(changed);
		}

		if (before === 'running') {
			this.ranMs += now - this.since;
			this.wasHeld = true;
		}
		this.since = now;
		this.setLimit();
		if (isEnd) this.ending.abort(failure);
		for (const resolve of this.waiting.splice(0)) resolve();
		this.parts.onChange(this);
		return true;
	}

	private write(changes: Partial<JobRecord>): void {
		const record = this.with(changes);
		this.parts.save(record);
		this.current = record;
	}

	private with(changes: Partial<JobRecord>): JobRecord {
		const files = this.browser ? this.parts.toFiles(this.browser) : this.current.files;
		return { ...this.current, files, ...changes, updatedAt: this.parts.clock.now() };
	}

	/** Sets what ends the job if its status lasts. */
	private setLimit(): void {
		this.stopLimit();
		const limit = this.limit();
		if (!limit) return;
		this.stopLimit = this.parts.clock.after(limit.ms, () => {
			this.fail(new JobFailure(limit.sentence));
		});
	}

	private limit(): { ms: number; sentence: string } | undefined {
		const { maxDurationMinutes, idleTimeoutMinutes } = this.parts.limits;
		switch (this.status) {
			case 'provisioning':
				return { ms: MAX_PROVISIONING_MS, sentence: 'The browser did not start within 2 minutes' };
			case 'running':
				return {
					ms: maxDurationMinutes * MINUTE_MS - this.ranMs,
					sentence: `The job reached its maximum duration of ${minutes(maxDurationMinutes)}`,
				};
			case 'paused':
				return { ms: MAX_PAUSE_MS, sentence: 'The job was paused for 6 hours and not resumed' };
			case 'user_taken_over':
				return {
					ms: idleTimeoutMinutes * MINUTE_MS,
					sentence:
						`The job was taken over, and nothing was entered for ${minutes(idleTimeoutMinutes)},` +
						' its idle timeout',
				};
			case 'completed':
			case 'failed':
				return undefined;
		}
	}
}

function minutes(count: number): string {
	return count === 1 ? '1 minute' : `${count} minutes`;
}

function toFailure(error: unknown): JobFailure {
	if (error instanceof JobFailure) return error;
	return new JobFailure('The service had an internal error, which is in its log', { cause: error });
}
