import { endpointSchema, type Counters, type SandboxOptions } from '../types';
import { type Account, createAccounts } from './accounts';
import { EventQueue } from './EventQueue';
import { FaultQueue } from './FaultQueue';
import { FileLinks } from './FileLinks';
import { Job, type JobStart, type StoredJob } from './Job';
import { RateLimiters } from './RateLimiters';
import { RequestLog } from './RequestLog';
import { type ClockAnchor, ScaledClock } from './ScaledClock';
import { ScriptQueue } from './ScriptQueue';

const DEFAULT_JOB_SECONDS = 8;

/** What another sandbox can continue with, as JSON: jobs, credits and time. */
export interface StoredState {
	clock: ClockAnchor;
	/** The credits of each account, by API key; `null`: unlimited. */
	credits: Record<string, number | null>;
	jobs: StoredJob[];
}

/** The whole state of a sandbox. A reset replaces it with a new one. */
export class SandboxState {
	readonly events = new EventQueue();
	readonly clock: ScaledClock;
	readonly accounts: Map<string, Account>;
	readonly jobs = new Map<string, Job>();
	readonly scripts = new ScriptQueue();
	readonly faults = new FaultQueue();
	readonly fileLinks = new FileLinks();
	readonly rateLimiters: RateLimiters;
	readonly requestLog = new RequestLog();
	readonly counters = {
		rateLimited: 0,
		faults: 0,
		requests: Object.fromEntries(
			[...endpointSchema.options, 'unknown'].map((name) => [name, 0]),
		) as Counters['requests'],
	};
	private readonly defaultJobSeconds: number;
	private readonly maxConcurrentJobs: number;

	/**
	 * `stored` continues the jobs of an earlier sandbox; the time in between has passed for them,
	 * too.
	 */
	constructor(options: SandboxOptions, stored?: StoredState) {
		const { timeScale = 1 } = options;
		if (!(timeScale > 0)) throw new Error(`The time scale must be above 0, not ${timeScale}`);
		this.clock = new ScaledClock(timeScale, options.clock, stored?.clock);
		this.accounts = createAccounts(this.clock.now());
		this.rateLimiters = new RateLimiters(options.limits);
		this.defaultJobSeconds = options.defaultJobSeconds ?? DEFAULT_JOB_SECONDS;
		this.maxConcurrentJobs = options.maxConcurrentJobs ?? Infinity;
		if (stored) this.restore(stored);
	}

	toStored(): StoredState {
		const credits = [...this.accounts.values()].map((account) => [account.key, account.credits]);
		return {
			clock: this.clock.anchor,
			credits: Object.fromEntries(credits) as StoredState['credits'],
			jobs: [...this.jobs.values()].map((job) => job.toStored()),
		};
	}

	/** Brings jobs and accounts up to date and returns the sandbox time in ms since 1970. */
	runDueEvents(): number {
		const now = this.clock.now();
		this.events.runUntil(now);
		return now;
	}

	advance(seconds: number): number {
		this.runDueEvents();
		this.clock.advance(seconds);
		return this.runDueEvents();
	}

	startJob(start: Omit<JobStart, 'defaultSeconds'>, now: number): Job {
		const job = new Job({ ...start, defaultSeconds: this.defaultJobSeconds }, now, this.events);
		this.jobs.set(job.id, job);
		return job;
	}

	/** Whether the account may run one more job now. */
	hasRoom(account: Account): boolean {
		const running = [...this.jobs.values()].filter(
			(job) => job.account === account && job.endedAt === undefined,
		);
		return running.length < this.maxConcurrentJobs;
	}

	private restore({ credits, jobs }: StoredState): void {
		for (const account of this.accounts.values()) {
			account.credits = credits[account.key] ?? null;
		}
		for (const stored of jobs) {
			const account = this.accounts.get(stored.key);
			if (account) this.jobs.set(stored.id, Job.restore(stored, account, this.events));
		}
	}
}
