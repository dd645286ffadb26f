import type { Job } from '../../../nodes/service/types';
import { isFinished } from '../../../nodes/jobs/status';
import { waitForJob, type WaitForJob } from '../../../nodes/jobs/waitForJob';
import { aJob, jobThatGoes } from '../../support/aJob';
import { fakeClock, type FakeClock } from '../../support/fakeClock';

const START_MS = 1_000_000;

function aWait(clock: FakeClock, options: Partial<WaitForJob> = {}): WaitForJob {
	return {
		clock,
		deadline: START_MS + 60_000,
		pauseAfter: () => 1_000,
		endsWait: isFinished,
		transientFault: () => ({}),
		...options,
	};
}

/** Asks for a job with what each look brings: a job, or an error to throw; the last one stays. */
function looks(...seen: Array<Job | Error>): () => Promise<Job> {
	const left = [...seen];
	return async () => {
		const next = left.length > 1 ? left.shift() : left[0];
		if (next instanceof Error) throw next;
		return next ?? aJob();
	};
}

describe('waiting for a job', () => {
	it('asks again after the pauses it is told, then returns the finished job', async () => {
		const clock = fakeClock(START_MS);
		const getJob = jobThatGoes('running', 'running', 'completed');

		const result = await waitForJob(
			getJob,
			aWait(clock, { pauseAfter: (poll: number) => poll * 1_000 }),
		);

		expect(result).toEqual({ reason: 'ended', job: aJob({ status: 'completed' }) });
		expect(clock.slept).toEqual([1_000, 2_000]);
	});

	it('looks once at a job that is finished already', async () => {
		const clock = fakeClock(START_MS);
		const getJob = jest.fn(jobThatGoes('failed'));

		const result = await waitForJob(getJob, aWait(clock));

		expect(result.reason).toBe('ended');
		expect(getJob).toHaveBeenCalledTimes(1);
		expect(clock.slept).toEqual([]);
	});

	it('tells how old the wait is, so that the pauses can grow', async () => {
		const clock = fakeClock(START_MS);
		const ages: number[] = [];

		await waitForJob(
			jobThatGoes('running', 'running', 'running', 'completed'),
			aWait(clock, {
				pauseAfter: (_poll, ageMs) => {
					ages.push(ageMs);
					return 2_000;
				},
			}),
		);

		expect(ages).toEqual([0, 2_000, 4_000]);
	});

	it.each([
		['ends at a pause of the job when that is wanted', (job: Job) => job.status === 'paused', 2],
		['goes on through a pause of the job otherwise', isFinished, 4],
	])('%s', async (_label, endsWait, polls) => {
		const clock = fakeClock(START_MS);
		const getJob = jest.fn(jobThatGoes('running', 'paused', 'running', 'completed'));

		const result = await waitForJob(getJob, aWait(clock, { endsWait }));

		expect(result.reason).toBe('ended');
		expect(getJob).toHaveBeenCalledTimes(polls);
	});

	it('goes on through a status that nobody knows', async () => {
		const clock = fakeClock(START_MS);

		const result = await waitForJob(jobThatGoes('dreaming', 'completed'), aWait(clock));

		expect(result.job?.status).toBe('completed');
	});

	describe('at the deadline', () => {
		it('has a last look, and returns the job as it stands', async () => {
			const clock = fakeClock(START_MS);
			const lookedAt: number[] = [];
			const getJob = async () => {
				lookedAt.push(clock.now() - START_MS);
				return aJob();
			};

			const result = await waitForJob(
				getJob,
				aWait(clock, { deadline: START_MS + 5_000, pauseAfter: () => 2_000 }),
			);

			expect(result).toEqual({ reason: 'deadline', job: aJob(), fault: undefined });
			expect(lookedAt).toEqual([0, 2_000, 4_000, 5_000]);
		});

		it('takes a job that finished just then for finished', async () => {
			const clock = fakeClock(START_MS);
			const getJob = async () =>
				aJob({ status: clock.now() >= START_MS + 5_000 ? 'completed' : 'running' });

			const result = await waitForJob(
				getJob,
				aWait(clock, { deadline: START_MS + 5_000, pauseAfter: () => 30_000 }),
			);

			expect(result).toEqual({ reason: 'ended', job: aJob({ status: 'completed' }) });
		});

		it('ends when no look was ever answered, and says what went wrong at last', async () => {
			const clock = fakeClock(START_MS);
			const fault = new Error('down');

			const result = await waitForJob(looks(fault), aWait(clock, { deadline: START_MS + 10_000 }));

			expect(result).toEqual({ reason: 'deadline', job: undefined, fault });
			expect(clock.now()).toBe(START_MS + 10_000);
		});

		it('looks at a job at least once, even when the time was up before', async () => {
			const clock = fakeClock(START_MS);
			const getJob = jest.fn(jobThatGoes('running'));

			const result = await waitForJob(getJob, aWait(clock, { deadline: START_MS - 1 }));

			expect(result.reason).toBe('deadline');
			expect(getJob).toHaveBeenCalledTimes(1);
		});

		it('never sleeps beyond it, however long the service asks to be left alone', async () => {
			const clock = fakeClock(START_MS);

			await waitForJob(
				looks(new Error('slow down')),
				aWait(clock, {
					deadline: START_MS + 8_000,
					transientFault: () => ({ retryAfterMs: 3_600_000 }),
				}),
			);

			expect(clock.now()).toBe(START_MS + 8_000);
		});

		it('looks once more after a look that took longer than the time that was left', async () => {
			const clock = fakeClock(START_MS);
			const getJob = jest.fn(async () => {
				await clock.sleep(20_000);
				return aJob();
			});

			const result = await waitForJob(getJob, aWait(clock, { deadline: START_MS + 5_000 }));

			expect(result.reason).toBe('deadline');
			expect(getJob).toHaveBeenCalledTimes(2);
		});
	});

	describe('through faults', () => {
		it('backs off, twice as long after each fault, and begins anew after an answer', async () => {
			const clock = fakeClock(START_MS);
			const fault = new Error('down');

			const result = await waitForJob(
				looks(fault, fault, fault, aJob(), fault, aJob({ status: 'completed' })),
				aWait(clock, { pauseAfter: () => 500 }),
			);

			expect(result).toEqual({ reason: 'ended', job: aJob({ status: 'completed' }) });
			expect(clock.slept).toEqual([1_000, 2_000, 4_000, 500, 1_000]);
		});

		it('backs off for half a minute at most', async () => {
			const clock = fakeClock(START_MS);

			await waitForJob(looks(new Error('down')), aWait(clock, { deadline: START_MS + 200_000 }));

			expect(Math.max(...clock.slept)).toBe(30_000);
		});

		it.each([
			['longer than it would back off', 7_000, 7_000],
			['shorter than it would back off', 200, 1_000],
			['no time at all', 0, 1_000],
		])('leaves the service alone as it asks: %s', async (_label, retryAfterMs, sleptMs) => {
			const clock = fakeClock(START_MS);

			await waitForJob(
				looks(new Error('slow down'), aJob({ status: 'completed' })),
				aWait(clock, { transientFault: () => ({ retryAfterMs }) }),
			);

			expect(clock.slept).toEqual([sleptMs]);
		});

		it('ends at once at a fault that does not pass, with the job as last seen', async () => {
			const clock = fakeClock(START_MS);
			const fault = new Error('no such job');

			const result = await waitForJob(
				looks(aJob(), fault),
				aWait(clock, { transientFault: () => undefined }),
			);

			expect(result).toEqual({ reason: 'fault', job: aJob(), fault });
		});

		it('takes every fault for good when it is not told which ones pass', async () => {
			const clock = fakeClock(START_MS);

			const result = await waitForJob(
				looks(new Error('down')),
				aWait(clock, { transientFault: undefined }),
			);

			expect(result.reason).toBe('fault');
		});

		it('lets a fault pass or not by how long the wait has been going on', async () => {
			const clock = fakeClock(START_MS);
			const fault = new Error('not known yet');

			const result = await waitForJob(
				looks(fault),
				aWait(clock, { transientFault: (_error, ageMs) => (ageMs < 10_000 ? {} : undefined) }),
			);

			expect(result).toEqual({ reason: 'fault', job: undefined, fault });
			expect(clock.slept).toEqual([1_000, 2_000, 4_000, 8_000]);
		});
	});

	it('looks at once when it is woken from a pause', async () => {
		const clock = fakeClock(START_MS);
		const wake = new AbortController();
		const getJob = jobThatGoes('running', 'completed');

		const waiting = waitForJob(
			getJob,
			aWait(clock, { pauseAfter: () => 30_000, wake: () => wake.signal }),
		);
		await clock.advance(4_000);
		wake.abort();
		const result = await waiting;

		expect(result.reason).toBe('ended');
		expect(clock.now()).toBe(START_MS + 4_000);
	});

	it('is not woken from the pause after a fault, which the service may have asked for', async () => {
		const clock = fakeClock(START_MS);

		await waitForJob(
			looks(new Error('slow down'), aJob({ status: 'completed' })),
			aWait(clock, {
				transientFault: () => ({ retryAfterMs: 7_000 }),
				wake: () => AbortSignal.abort(),
			}),
		);

		expect(clock.now()).toBe(START_MS + 7_000);
	});

	describe('when it is to go on elsewhere', () => {
		it('ends in the middle of a pause, with the job as last seen', async () => {
			const clock = fakeClock(START_MS);
			const leave = new AbortController();

			const waiting = waitForJob(
				jobThatGoes('running'),
				aWait(clock, { leave: leave.signal, pauseAfter: () => 30_000 }),
			);
			await clock.advance(10_000);
			leave.abort();
			const result = await waiting;

			expect(result).toEqual({ reason: 'left', job: aJob(), fault: undefined });
			expect(clock.now()).toBe(START_MS + 10_000);
		});

		it('is finished all the same when the job was seen finished', async () => {
			const leave = new AbortController();
			const getJob = async () => {
				leave.abort();
				return aJob({ status: 'completed' });
			};

			const result = await waitForJob(getJob, aWait(fakeClock(START_MS), { leave: leave.signal }));

			expect(result.reason).toBe('ended');
		});

		it('is stopped when the execution was stopped, too', async () => {
			const result = await waitForJob(
				jobThatGoes('running'),
				aWait(fakeClock(START_MS), {
					signal: AbortSignal.abort(),
					leave: AbortSignal.abort(),
				}),
			);

			expect(result.reason).toBe('stopped');
		});
	});

	describe('when the execution is stopped', () => {
		it('asks for nothing when it was stopped before', async () => {
			const getJob = jest.fn(jobThatGoes('running'));

			const result = await waitForJob(
				getJob,
				aWait(fakeClock(START_MS), { signal: AbortSignal.abort() }),
			);

			expect(result.reason).toBe('stopped');
			expect(getJob).not.toHaveBeenCalled();
		});

		it('ends in the middle of a pause, without another look', async () => {
			const clock = fakeClock(START_MS);
			const stop = new AbortController();
			const getJob = jest.fn(jobThatGoes('running'));

			const waiting = waitForJob(
				getJob,
				aWait(clock, { signal: stop.signal, pauseAfter: () => 30_000 }),
			);
			await clock.advance(10_000);
			stop.abort();
			const result = await waiting;

			expect(result).toEqual({ reason: 'stopped', job: aJob(), fault: undefined });
			expect(getJob).toHaveBeenCalledTimes(1);
			expect(clock.now()).toBe(START_MS + 10_000);
		});

		it('is stopped, not at fault, when the stop breaks off a look', async () => {
			const clock = fakeClock(START_MS);
			const stop = new AbortController();
			const getJob = async () => {
				stop.abort();
				throw new Error('given up');
			};

			const result = await waitForJob(
				getJob,
				aWait(clock, { signal: stop.signal, transientFault: () => undefined }),
			);

			expect(result.reason).toBe('stopped');
		});

		it('returns a job that was seen finished all the same', async () => {
			const stop = new AbortController();
			const getJob = async () => {
				stop.abort();
				return aJob({ status: 'completed' });
			};

			const result = await waitForJob(getJob, aWait(fakeClock(START_MS), { signal: stop.signal }));

			expect(result.reason).toBe('ended');
		});
	});
});
