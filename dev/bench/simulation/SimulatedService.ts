import { ServiceError } from '../../../nodes/errors/ServiceError';
import { SimulatedClock } from '../../engine/SimulatedClock';
import { RateLimiters } from '../../sandbox/state/RateLimiters';
import { seededRandom } from './seededRandom';

const ACCOUNT = 'account';
const MAX_LATENCY_MS = 80;
const WARM_UP = 10;

/** One account of the service in virtual time, with the sandbox's rate limits. */
export class SimulatedService {
	readonly clock = new SimulatedClock(0);
	/** All random numbers of the simulation, so that it can be repeated. */
	readonly random: () => number;
	private readonly limiters = new RateLimiters();
	private closedForMs = 0;
	/** Calls that were received and refused so far. */
	readonly counters = { starts: 0, polls: 0, refusedStarts: 0, refusedPolls: 0 };

	constructor(seed: number) {
		this.random = seededRandom(seed);
		// The first numbers of neighbouring seeds are similar.
		for (let count = 0; count < WARM_UP; count++) this.random();
	}

	/** Refuses the next call for so long. */
	closeFor(ms: number): void {
		this.closedForMs = ms;
	}

	/** Receives a call. Throws the 429 that the service would send. */
	async call(limit: 'starts' | 'polls'): Promise<void> {
		await this.clock.sleep((MAX_LATENCY_MS / 2) * this.random());
		const refusedForMs =
			this.closedForMs || this.limiters.tryAcquire(ACCOUNT, limit, this.clock.now());
		this.closedForMs = 0;
		this.counters[limit]++;
		await this.clock.sleep((MAX_LATENCY_MS / 2) * this.random());
		if (refusedForMs === 0) return;
		this.counters[limit === 'starts' ? 'refusedStarts' : 'refusedPolls']++;
		const retryAfterMs = Math.ceil(refusedForMs / 1000) * 1000;
		throw new ServiceError({ kind: 'rateLimited', retryAfterMs });
	}
}
