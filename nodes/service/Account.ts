import type { Clock } from '../async/clock';
import { SERVICE_LIMITS, type ServiceLimits } from './documentedValues';
import { RateLimiter } from './RateLimiter';

const MAX_KNOWN_JOBS = 10_000;
// A start's 429 without a Retry-After may be a cap on concurrent jobs. This process has not called
// too often then, so the only thing to do is to ask again from time to time.
const CAP_RETRY_MS = 20_000;

/**
 * The rate limits of one account of the service, and the jobs that this process knows to
 * exist. All clients of an account in this process share it.
 */
export class Account {
	/** Limits the requests that start jobs. */
	readonly starts: RateLimiter;

	/** Limits the status calls. */
	readonly polls: RateLimiter;

	/** Limits the reads of the credit balance. */
	readonly balance: RateLimiter;

	private readonly knownJobs = new Set<string>();

	/**
	 * `name` identifies the account within this process. `random` is passed on to the rate limiters.
	 */
	constructor(
		readonly name: string,
		clock: Clock,
		limits: ServiceLimits = SERVICE_LIMITS,
		random: () => number = Math.random,
	) {
		this.starts = new RateLimiter(limits.start, clock, {
			random,
			closedMsWithoutRetryAfter: CAP_RETRY_MS,
		});
		this.polls = new RateLimiter(limits.status, clock, { random });
		this.balance = new RateLimiter(limits.balance, clock, { random });
	}

	/** Records that this process has started a job, or seen its status. Keeps the last 10,000. */
	recordKnown(jobId: string): void {
		this.knownJobs.delete(jobId);
		this.knownJobs.add(jobId);
		const [oldest = jobId] = this.knownJobs;
		if (this.knownJobs.size > MAX_KNOWN_JOBS) this.knownJobs.delete(oldest);
	}

	/** Whether the job exists, so that a single 404 proves nothing: a server may lag behind. */
	isKnown(jobId: string): boolean {
		return this.knownJobs.has(jobId);
	}
}
