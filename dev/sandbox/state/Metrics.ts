import type { Counters, EndpointName } from '../types';
import type { RateLimitName } from './RateLimiters';

/** Tracks the highest number of calls within any one sliding window. */
class PeakRate {
	peak = 0;
	private readonly callTimes: number[] = [];

	record(now: number, windowMs: number): void {
		this.callTimes.push(now);
		while ((this.callTimes[0] ?? now) <= now - windowMs) this.callTimes.shift();
		this.peak = Math.max(this.peak, this.callTimes.length);
	}
}

/** The counters of one sandbox. */
export class Metrics {
	readonly counters: Counters = {
		starts: 0,
		polls: 0,
		pauses: 0,
		resumes: 0,
		rateLimited: 0,
		faults: 0,
		requests: {
			startAgent: 0,
			getJob: 0,
			pauseJob: 0,
			resumeJob: 0,
			getJobFiles: 0,
			runWorkflow: 0,
			getCreditBalance: 0,
			getHealth: 0,
			file: 0,
			unknown: 0,
		},
		maxInWindow: { starts: 0, polls: 0, balances: 0 },
	};
	private readonly peakRates = new Map<string, PeakRate>();

	countRequest(endpoint: EndpointName | 'unknown'): void {
		this.counters.requests[endpoint]++;
		if (endpoint === 'getJob') this.counters.polls++;
	}

	/** Counts a call that is subject to a rate limit, whether or not it is within the limit. */
	countLimitedCall(accountKey: string, limit: RateLimitName, now: number, windowMs: number): void {
		const key = `${limit} ${accountKey}`;
		const peakRate = this.peakRates.get(key) ?? new PeakRate();
		this.peakRates.set(key, peakRate);
		peakRate.record(now, windowMs);
		const { maxInWindow } = this.counters;
		maxInWindow[limit] = Math.max(maxInWindow[limit], peakRate.peak);
	}
}
