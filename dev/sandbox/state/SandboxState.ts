import type { Account } from '../../../api/Account';
import { ENDPOINT_NAMES } from '../../../api/endpoints';
import { FileLinks } from '../../../api/FileLinks';
import { RateLimiters } from '../../../api/RateLimiters';
import { FaultQueue } from '../faults/FaultQueue';
import type { Counters, JobScript, SandboxOptions } from '../types';
import { createAccounts } from './accounts';
import { EventQueue } from './EventQueue';
import { Job, type JobStart } from './Job';
import { RequestLog } from './RequestLog';
import { ScaledClock } from './ScaledClock';
import { ScriptQueue } from './ScriptQueue';

const DEFAULT_JOB_SECONDS = 8;

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
		faults: 0,
		requests: Object.fromEntries(
			[...ENDPOINT_NAMES, 'unknown'].map((name) => [name, 0]),
		) as Counters['requests'],
	};
	private readonly defaultJobSeconds: number;
	private readonly maxConcurrentJobs: number;

	constructor(options: SandboxOptions) {
		const { timeScale = 1 } = options;
		if (!(timeScale > 0)) throw new Error(`The time scale must be above 0, not ${timeScale}`);
		this.clock = new ScaledClock(timeScale, options.clock);
		this.accounts = createAccounts(this.clock.now());
		this.rateLimiters = new RateLimiters(options.limits);
		this.defaultJobSeconds = options.defaultJobSeconds ?? DEFAULT_JOB_SECONDS;
		this.maxConcurrentJobs = options.maxConcurrentJobs ?? Infinity;
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

	/** Starts a job without a request, as somebody else does. */
	startGivenJob(
		account: Account,
		script: JobScript,
		more: Partial<Pick<JobStart, 'directive' | 'maxDurationMinutes'>> = {},
	): Job {
		const start = { kind: 'agent', directive: 'Started by somebody else', request: {} } as const;
		return this.startJob({ ...start, ...more, account, script }, this.runDueEvents());
	}

	/** Whether the account may run one more job now. */
	hasRoom(account: Account): boolean {
		const running = [...this.jobs.values()].filter(
			(job) => job.account === account && job.endedAt === undefined,
		);
		return running.length < this.maxConcurrentJobs;
	}
}
