import { setMaxListeners } from 'node:events';

import type { ServiceError } from '../../../nodes/errors/ServiceError';
import { PollScheduler } from '../../../nodes/jobs/PollScheduler';
import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import { RateLimiter, type Permit } from '../../../nodes/service/RateLimiter';
import type { SimulatedService } from './SimulatedService';

const NEVER = new AbortController().signal;
// As many as there are jobs.
setMaxListeners(0, NEVER);

/** A job in virtual time; times in ms. */
export interface SimulatedJob {
	/** Unset: somebody else has started it. */
	startedAt?: number;
	endsAt: number;
	onPoll?: () => void;
}

/** The part of an n8n process that spends calls: the package's rate limiters and its poll scheduler. */
export class SimulatedProcess {
	private readonly starts: RateLimiter;
	private readonly scheduler: PollScheduler;

	constructor(private readonly service: SimulatedService) {
		const { clock, random } = service;
		this.starts = new RateLimiter(SERVICE_LIMITS.start, clock, random);
		const polls = new RateLimiter(SERVICE_LIMITS.status, clock, random);
		this.scheduler = new PollScheduler(polls, clock, random);
	}

	/** Tries until the service accepts it. */
	async start(): Promise<void> {
		const permit = await this.starts.acquire({ signal: NEVER });
		await this.call('starts', permit).catch(async () => await this.start());
	}

	async waitFor({ startedAt, endsAt, onPoll }: SimulatedJob): Promise<void> {
		await new Promise<void>((resolve) => {
			this.scheduler.add({
				startedAt: startedAt ?? this.service.clock.now(),
				seenAt: startedAt,
				minIntervalMs: 0,
				deadline: Infinity,
				signal: NEVER,
				poll: async (permit) => {
					onPoll?.();
					try {
						await this.call('polls', permit);
					} catch (error) {
						return (error as ServiceError).facts.retryAfterMs;
					}
					if (this.service.clock.now() < endsAt) return 0;
					resolve();
					return undefined;
				},
				end: () => resolve(),
			});
		});
	}

	private async call(limit: 'starts' | 'polls', permit: Permit): Promise<void> {
		try {
			await this.service.call(limit);
			permit.release();
		} catch (error) {
			permit.release(error);
			throw error;
		}
	}
}
