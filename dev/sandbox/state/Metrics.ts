import type { Budget } from './RateLimiters';
import type { Counters, EndpointName } from '../types';

/** Finds the most calls in any one window, as they arrive. */
class BusiestWindow {
	most = 0;
	private readonly arrivals: number[] = [];
	private first = 0;

	add(now: number, windowMs: number): void {
		this.arrivals.push(now);
		while ((this.arrivals[this.first] ?? now) <= now - windowMs) this.first++;
		this.most = Math.max(this.most, this.arrivals.length - this.first);
		// Cutting only now and then keeps a call cheap on average.
		if (this.first > 1000 && this.first > this.arrivals.length / 2) {
			this.arrivals.splice(0, this.first);
			this.first = 0;
		}
	}
}

/** Counts what arrives and what is done. */
export class Counting {
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
	private readonly windows = new Map<string, BusiestWindow>();

	arrived(endpoint: EndpointName | 'unknown'): void {
		this.counters.requests[endpoint]++;
		if (endpoint === 'getJob') this.counters.polls++;
	}

	/** A call that counts against a limit, whether or not it is refused. */
	arrivedFor(accountKey: string, budget: Budget, now: number, windowMs: number): void {
		const key = `${budget} ${accountKey}`;
		let window = this.windows.get(key);
		if (!window) {
			window = new BusiestWindow();
			this.windows.set(key, window);
		}
		window.add(now, windowMs);
		const { maxInWindow } = this.counters;
		maxInWindow[budget] = Math.max(maxInWindow[budget], window.most);
	}
}
