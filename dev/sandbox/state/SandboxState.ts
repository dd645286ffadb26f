import { type Account, createAccounts } from './accounts';
import { EventQueue } from './EventQueue';
import { ScaledClock } from './ScaledClock';
import { Counting } from './Metrics';
import { Faults } from './FaultQueue';
import { FileLinks } from './FileLinks';
import { Job, type JobStart } from './Job';
import { RateLimiting } from './RateLimiters';
import { RequestLog } from './RequestLog';
import { Scripts } from './ScriptQueue';
import type { SandboxOptions } from '../types';

const DEFAULT_JOB_SECONDS = 8;

/** Everything a sandbox knows, from its start or its last reset on. */
export class World {
	readonly events = new EventQueue();
	readonly clock: ScaledClock;
	readonly accounts: Map<string, Account>;
	readonly jobs = new Map<string, Job>();
	readonly scripts = new Scripts();
	readonly faults = new Faults();
	readonly links = new FileLinks();
	readonly limiting: RateLimiting;
	readonly log = new RequestLog();
	readonly counting = new Counting();
	private readonly jobSeconds: number;

	constructor(options: SandboxOptions) {
		const { timeScale = 1 } = options;
		if (!(timeScale > 0)) throw new Error(`The time scale must be above 0, not ${timeScale}`);
		this.clock = new ScaledClock(timeScale, options.realNow);
		this.accounts = createAccounts(options.accounts ?? [], this.clock.now(), this.events);
		this.limiting = new RateLimiting(options);
		this.jobSeconds = options.defaultJobSeconds ?? DEFAULT_JOB_SECONDS;
	}

	/** Lets everything happen that was due, and returns the time it is. */
	catchUp(): number {
		const now = this.clock.now();
		this.events.runUntil(now);
		return now;
	}

	advance(seconds: number): number {
		this.catchUp();
		this.clock.advance(seconds);
		return this.catchUp();
	}

	startJob(start: Omit<JobStart, 'defaultSeconds'>, now: number): Job {
		const job = new Job({ ...start, defaultSeconds: this.jobSeconds }, now, this);
		this.jobs.set(job.id, job);
		this.counting.counters.starts++;
		return job;
	}
}
