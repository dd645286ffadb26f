import { type LoggedJob, toLoggedJob } from './admin/toLoggedJob';
import type { Account } from '../../api/Account';
import type { SandboxState } from './state/SandboxState';
import type { Counters, Fault, JobScript, LoggedRequest, RateLimits, RequestFilter } from './types';

/** A list of statuses is short for `{ statuses }`. */
export type ShortScript = JobScript | string[];

/** Controls and observes a sandbox in the same process. The admin API does so over HTTP. */
export class SandboxAdmin {
	constructor(
		private readonly getState: () => SandboxState,
		private readonly resetState: () => void,
	) {}

	/** Scripts the next matching start. */
	async nextJob(script: ShortScript): Promise<void> {
		await this.nextJobs([script]);
	}

	/** Scripts the next starts, one each, in this order. */
	async nextJobs(scripts: ShortScript[]): Promise<void> {
		this.getState().scripts.add(scripts.map(toScript));
	}

	/** Starts a job without a request, on the account with this key, and returns its ID. */
	async startJob(script: ShortScript, key: string): Promise<string> {
		return this.getState().startGivenJob(this.findAccount(key), toScript(script)).id;
	}

	/** Injects a fault into the next matching requests, after the faults added before. */
	async fault(fault: Fault): Promise<void> {
		this.getState().faults.add(fault);
	}

	/** Removes the faults that have not been used up. */
	async clearFaults(): Promise<void> {
		this.getState().faults.clear();
	}

	/** Oldest first. */
	async jobs(): Promise<LoggedJob[]> {
		const now = this.getState().runDueEvents();
		return [...this.getState().jobs.values()].map((job) => toLoggedJob(job, now));
	}

	/** Rejects for an unknown ID. */
	async job(id: string): Promise<LoggedJob> {
		const job = (await this.jobs()).find(({ job_id }) => job_id === id);
		if (!job) throw adminError(404, `There is no job ${id}`);
		return job;
	}

	/** Requests to the service and for job files, oldest first. */
	async requests(filter: RequestFilter = {}): Promise<LoggedRequest[]> {
		return this.getState().requestLog.read(filter);
	}

	/** A copy, which stays as it is. */
	async counters(): Promise<Counters> {
		const { counters, jobs, rateLimiters } = this.getState();
		return structuredClone({
			...counters,
			rateLimited: rateLimiters.refused,
			starts: jobs.size,
			polls: counters.requests.getJob,
			maxInWindow: rateLimiters.peaks,
		});
	}

	/** Moves the sandbox clock ahead and returns the new time in ms since 1970. */
	async advance(seconds: number): Promise<number> {
		if (!(seconds >= 0)) throw adminError(400, 'Time can only be advanced');
		return this.getState().advance(seconds);
	}

	/** Switches the rate limits on or off, and forgets the calls counted so far. */
	async setLimits(limits: RateLimits): Promise<void> {
		this.getState().rateLimiters.reset(limits);
	}

	/** Rejects for an unknown key and for an account with unlimited credits. */
	async setCredits(key: string, credits: number): Promise<void> {
		this.getState().runDueEvents();
		const account = this.findAccount(key);
		if (account.credits === null) throw adminError(400, 'The account has unlimited credits');
		account.credits = credits;
	}

	/** Restores the initial state: no jobs, scripts, faults or log, and the original settings. */
	async reset(): Promise<void> {
		this.resetState();
	}

	private findAccount(key: string): Account {
		const account = this.getState().accounts.get(key);
		if (!account) throw adminError(404, `There is no account with the key ${key}`);
		return account;
	}
}

function toScript(script: ShortScript): JobScript {
	return Array.isArray(script) ? { statuses: script } : script;
}

/** An error with the status of the admin API's response. */
export function adminError(status: number, message: string): Error {
	return Object.assign(new Error(message), { status });
}
