import { ServiceError } from '../../../nodes/errors/ServiceError';
import { PollScheduler } from '../../../nodes/jobs/PollScheduler';
import type { WaitingJob } from '../../../nodes/jobs/WaitingJob';
import { SERVICE_LIMITS } from '../../../nodes/service/rateLimits';
import { RateLimiter, type Turn } from '../../../nodes/service/RateLimiter';
import type { SimulatedService } from './SimulatedService';

/** A job in virtual time; times in ms. */
export interface SimulatedJob {
	jobId: string;
	bornAt: number;
	endsAt: number;
	isNew: boolean;
	signal: AbortSignal;
	/** Called when a poll arrives at the service. */
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

	/** Starts a job, as often as it takes; returns false if the signal is aborted before. */
	async start(signal: AbortSignal): Promise<boolean> {
		for (;;) {
			try {
				const turn = await this.starts.acquire({ signal });
				await this.callInTurn('starts', turn);
				return true;
			} catch (error) {
				if (!(error instanceof ServiceError) || error.kind !== 'rateLimited') return false;
			}
		}
	}

	/** Waits until the end of the job is seen, or the signal is aborted. */
	async waitFor({ jobId, bornAt, endsAt, isNew, signal, onPoll }: SimulatedJob): Promise<void> {
		await new Promise<void>((resolve) => {
			const waiting: WaitingJob = {
				jobId,
				bornAt,
				isNew,
				kinds: ['simulated'],
				minIntervalMs: 0,
				deadline: Infinity,
				signal,
				poll: async (turn) => {
					onPoll?.();
					await this.callInTurn('polls', turn);
					const status = this.service.clock.now() >= endsAt ? 'completed' : 'running';
					return { job_id: jobId, status, body: {} };
				},
				receive({ status }) {
					if (status === 'completed') resolve();
					return status === 'completed';
				},
				fail: (error) => (error as ServiceError).facts.retryAfterMs,
				end: () => resolve(),
			};
			this.scheduler.add(waiting);
		});
	}

	private async callInTurn(limit: 'starts' | 'polls', turn: Turn): Promise<void> {
		try {
			await this.service.call(limit);
		} catch (error) {
			turn.fail(error);
			throw error;
		} finally {
			turn.end();
		}
	}
}
