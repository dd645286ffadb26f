import type { JobBrowser } from '../../../local-service/browser/JobBrowser';
import { JobFailure } from '../../../local-service/JobFailure';
import { Job, type JobLimits, type JobTask } from '../../../local-service/jobs/Job';
import type { JobRecord, JobStatus } from '../../../local-service/jobs/JobRecord';
import { toRecordedFiles } from '../../../local-service/jobs/JobStore';
import { aRecord } from '../support/aRecord';
import { deferred } from '../support/deferred';
import { FakeBrowser } from '../support/FakeBrowser';
import { FakeClock, settle } from '../support/FakeClock';

const PERSON = { kind: 'text', text: 'hello' } as never;

/** A job whose browser, agent and disk a test plays. */
class PlayedJob {
	readonly clock = new FakeClock();
	readonly browser = new FakeBrowser();
	readonly opening = deferred<JobBrowser>();
	readonly working = deferred<unknown>();
	readonly saved: JobRecord[] = [];
	readonly defects: unknown[] = [];
	task: JobTask | undefined;
	signal: AbortSignal | undefined;
	creditsLeft = Infinity;
	/** What saving throws. */
	diskError: Error | undefined;
	isReleased = false;
	readonly job: Job;

	constructor(limits: Partial<JobLimits> = {}) {
		this.job = new Job(aRecord(), {
			clock: this.clock,
			limits: { maxDurationMinutes: 30, idleTimeoutMinutes: 2, ...limits },
			save: (record) => {
				if (this.diskError) throw this.diskError;
				this.saved.push(record);
			},
			saveStep: () => {
				if (this.diskError) throw this.diskError;
			},
			takeCredit: () => {
				if (this.creditsLeft-- <= 0) throw new JobFailure('The account ran out of credits');
			},
			open: async (signal) => {
				this.signal = signal;
				return await this.opening.promise;
			},
			work: async (task) => {
				this.task = task;
				return await this.working.promise;
			},
			toFiles: ({ downloads }) => toRecordedFiles(downloads),
			release: async (browser) => {
				this.isReleased = true;
				await browser.close();
			},
			onChange: () => {},
			onDefect: (error) => this.defects.push(error),
		});
		this.job.begin();
	}

	async opens(): Promise<this> {
		this.opening.resolve(this.browser);
		await settle();
		return this;
	}

	/** Brings a new job to this status by the shortest way. */
	async reaches(status: JobStatus): Promise<this> {
		await settle();
		if (status === 'provisioning') return this;
		await this.opens();
		if (status === 'paused') this.job.pause();
		if (status === 'user_taken_over') this.job.takeOver();
		if (status === 'completed') this.working.resolve('done');
		if (status === 'failed') this.job.fail(new JobFailure('it failed'));
		await settle();
		expect(this.job.status).toBe(status);
		return this;
	}
}

const played = async (status: JobStatus, limits?: Partial<JobLimits>) =>
	await new PlayedJob(limits).reaches(status);

describe('a job that is paused while it completes', () => {
	it('completes when it is resumed, at whichever moment that was', async () => {
		for (let moment = 0; moment < 40; moment++) {
			const { job, working } = await played('running');
			working.resolve('the answer');
			for (let count = 0; count < moment; count++) await Promise.resolve();
			job.pause();
			await settle();
			job.resume();
			await settle();

			expect([moment, job.status, job.record.output]).toEqual([moment, 'completed', 'the answer']);
		}
	});
});

describe('a job', () => {
	it.each<[JobStatus, 'pause' | 'resume' | 'takeOver' | 'handBack', JobStatus]>([
		['provisioning', 'pause', 'paused'],
		['provisioning', 'resume', 'provisioning'],
		['provisioning', 'takeOver', 'provisioning'],
		['provisioning', 'handBack', 'provisioning'],
		['running', 'pause', 'paused'],
		['running', 'resume', 'running'],
		['running', 'takeOver', 'user_taken_over'],
		['running', 'handBack', 'running'],
		['paused', 'pause', 'paused'],
		['paused', 'resume', 'running'],
		['paused', 'takeOver', 'user_taken_over'],
		['paused', 'handBack', 'paused'],
		['user_taken_over', 'pause', 'user_taken_over'],
		['user_taken_over', 'resume', 'running'],
		['user_taken_over', 'takeOver', 'user_taken_over'],
		['user_taken_over', 'handBack', 'running'],
		['completed', 'pause', 'completed'],
		['completed', 'resume', 'completed'],
		['completed', 'takeOver', 'completed'],
		['completed', 'handBack', 'completed'],
		['failed', 'pause', 'failed'],
		['failed', 'resume', 'failed'],
		['failed', 'takeOver', 'failed'],
		['failed', 'handBack', 'failed'],
	])('that is %s answers %s by being %s', async (before, action, after) => {
		const { job } = await played(before);
		expect(job[action]()).toBe(before !== after);
		expect(job.status).toBe(after);
	});

	it('is on disk with each status before anybody sees it', async () => {
		const play = await played('running');
		play.job.pause();
		play.job.resume();
		play.working.resolve('done');
		await settle();
		const statuses = ['running', 'paused', 'running', 'completed'];
		expect(play.saved.map(({ status }) => status)).toEqual(statuses);
	});

	it("has the agent's answer as its output", async () => {
		const play = await played('running');
		play.working.resolve({ rows: [1, 2] });
		await settle();
		expect(play.job.record).toMatchObject({ status: 'completed', output: { rows: [1, 2] } });
		expect(play.browser.isClosed).toBe(true);
	});

	it('without an answer has null as its output', async () => {
		const play = await played('running');
		play.working.resolve(undefined);
		await settle();
		expect(play.job.record).toMatchObject({ status: 'completed', output: null });
	});

	it('has the sentence of a failure as its error, and closes its browser', async () => {
		const play = await played('running');
		play.working.reject(new JobFailure('The agent gave up: no price'));
		await settle();
		expect(play.job.record).toMatchObject({
			status: 'failed',
			error: 'The agent gave up: no price',
		});
		expect(play.browser.isClosed).toBe(true);
	});

	it('that a defect ends says so without its details, and reports it', async () => {
		const play = await played('running');
		play.working.reject(new TypeError('x is not a function at secret.ts'));
		await settle();
		expect(play.job.record.error).toBe('The service had an internal error, which is in its log');
		expect(play.defects).toHaveLength(1);
	});

	it('whose browser does not start fails with its sentence', async () => {
		const play = new PlayedJob();
		play.opening.reject(new JobFailure('Chromium did not start'));
		await settle();
		expect(play.job.record).toMatchObject({ status: 'failed', error: 'Chromium did not start' });
	});

	it.each<JobStatus>(['running', 'paused', 'user_taken_over'])(
		'that is %s fails when its browser dies',
		async (status) => {
			const play = await played(status);
			play.browser.dies(new JobFailure('The browser crashed'));
			expect(play.job.record).toMatchObject({ status: 'failed', error: 'The browser crashed' });
		},
	);

	it('closes a browser that arrives after its end', async () => {
		const play = await played('provisioning');
		play.job.fail(new JobFailure('stopped'));
		await play.opens();
		expect(play.browser.isClosed).toBe(true);
		expect(play.task).toBeUndefined();
	});

	it("doesn't wait for an agent that doesn't notice its end", async () => {
		const play = await played('running');
		play.job.fail(new JobFailure('stopped'));
		await play.job.released;
		expect(play.browser.isClosed).toBe(true);
	});

	it('that fails aborts its signal with the failure', async () => {
		const play = await played('running');
		const failure = new JobFailure('stopped');
		play.job.fail(failure);
		expect(play.task?.signal.reason).toBe(failure);
	});

	it('that has ended stays as it ended', async () => {
		const play = await played('completed');
		play.job.fail(new JobFailure('too late'));
		expect(play.job.record).toMatchObject({ status: 'completed', output: 'done' });
	});

	it.each<[JobStatus, number, string]>([
		['provisioning', 2, 'The browser did not start within 2 minutes'],
		['running', 30, 'The job reached its maximum duration of 30 minutes'],
		['paused', 360, 'The job was paused for 6 hours and not resumed'],
		['user_taken_over', 2, 'nothing was entered for 2 minutes'],
	])('that is %s for %i minutes fails with its sentence', async (status, limit, sentence) => {
		const play = await played(status);
		await play.clock.passMinutes(limit - 0.01);
		expect(play.job.status).toBe(status);
		await play.clock.passMinutes(0.02);
		expect(play.job.status).toBe('failed');
		expect(play.job.record.error).toContain(sentence);
	});

	it('counts only the time in which it is running as its duration', async () => {
		const play = await played('running', { maxDurationMinutes: 10, idleTimeoutMinutes: 60 });
		await play.clock.passMinutes(6);
		play.job.pause();
		await play.clock.passMinutes(100);
		play.job.takeOver();
		await play.clock.passMinutes(50);
		play.job.handBack();
		await play.clock.passMinutes(3.9);
		expect(play.job.status).toBe('running');
		await play.clock.passMinutes(0.2);
		expect(play.job.record.error).toBe('The job reached its maximum duration of 10 minutes');
	});

	it('that is taken over is not idle while something is entered', async () => {
		const play = await played('user_taken_over');
		for (let minute = 0; minute < 5; minute++) {
			await play.clock.passMinutes(1);
			expect(await play.job.input(PERSON)).toBe(true);
		}
		expect(play.browser.entered).toHaveLength(5);
		await play.clock.passMinutes(2.1);
		expect(play.job.status).toBe('failed');
	});

	it.each<JobStatus>(['provisioning', 'running', 'paused', 'completed', 'failed'])(
		'that is %s takes nothing from a person',
		async (status) => {
			const play = await played(status);
			expect(await play.job.input(PERSON)).toBe(false);
			expect(play.browser.entered).toEqual([]);
		},
	);

	it('that is paused before its browser is there waits with it', async () => {
		const play = await played('provisioning');
		play.job.pause();
		await play.opens();
		expect(play.job.status).toBe('paused');
		expect(play.task).toBeUndefined();
		play.job.resume();
		await settle();
		expect(play.task).toBeDefined();
	});

	it.each<JobStatus>(['paused', 'user_taken_over'])(
		'that is %s holds the next action until it is resumed',
		async (status) => {
			const play = await played(status);
			let isHeld = true;
			const acting = play.task?.mayAct().finally(() => (isHeld = false));
			await settle();
			expect(isHeld).toBe(true);
			play.job.resume();
			expect(await acting).toEqual({ wasHeld: true, takenOver: status === 'user_taken_over' });
			expect(await play.task?.mayAct()).toEqual({ wasHeld: false, takenOver: false });
		},
	);

	it('that fails while it holds an action refuses it', async () => {
		const play = await played('paused');
		const acting = play.task?.mayAct();
		const failure = new JobFailure('stopped');
		play.job.fail(failure);
		await expect(acting).rejects.toBe(failure);
	});

	it("that is paused doesn't complete before it is resumed", async () => {
		const play = await played('paused');
		play.working.resolve('done');
		await settle();
		expect(play.job.status).toBe('paused');
		play.job.resume();
		await settle();
		expect(play.job.record).toMatchObject({ status: 'completed', output: 'done' });
	});

	it('waits for downloads that are under way when the agent is done', async () => {
		const play = await played('running');
		const downloading = deferred();
		play.browser.downloading = downloading.promise;
		play.working.resolve('done');
		await settle();
		expect(play.job.status).toBe('running');
		const path = '/data/jobs/job_1/files/f1';
		play.browser.downloads.push({
			filename: 'a.pdf',
			path,
			size: 5,
			contentType: 'application/pdf',
		});
		downloading.resolve();
		await settle();
		expect(play.job.record).toMatchObject({
			status: 'completed',
			files: [{ filename: 'a.pdf', storedName: 'f1', sizeBytes: 5 }],
		});
	});

	it('has a file in its record as soon as a step is recorded after its download', async () => {
		const play = await played('running');
		const path = '/data/jobs/job_1/files/f1';
		play.browser.downloads.push({ filename: 'a.csv', path, size: 5, contentType: 'text/csv' });
		play.task?.record({ number: 1, notices: [] } as never);
		expect(play.saved.at(-1)?.files).toHaveLength(1);
	});

	it('is charged for each answer, paused or not, and fails without credits', async () => {
		const play = await played('running');
		play.creditsLeft = 2;
		play.task?.charge({ inputTokens: 100, outputTokens: 10 });
		play.job.pause();
		play.task?.charge({ inputTokens: 200 });
		expect(play.job.record).toMatchObject({ creditsUsed: 2, inputTokens: 300, outputTokens: 10 });
		expect(() => play.task?.charge({})).toThrow('The account ran out of credits');
	});

	it('is not charged after its end', async () => {
		const play = await played('running');
		play.job.fail(new JobFailure('stopped'));
		expect(() => play.task?.charge({})).toThrow('stopped');
		expect(play.job.record.creditsUsed).toBe(0);
	});

	it('that can not be written fails, and says why', async () => {
		const play = await played('running');
		play.diskError = new JobFailure('The service could not write to its data folder (ENOSPC)');
		expect(play.job.pause()).toBe(false);
		expect(play.job.record).toMatchObject({ status: 'failed', error: play.diskError.message });
	});

	it('whose answer can not be written fails instead of losing it later', async () => {
		const play = await played('running');
		play.diskError = new JobFailure('The service could not write to its data folder (ENOSPC)');
		play.working.resolve('done');
		await settle();
		expect(play.job.record).toMatchObject({ status: 'failed', error: play.diskError.message });
	});

	it('shows its ten newest steps without their pictures', async () => {
		const play = await played('running');
		for (let number = 1; number <= 12; number++) {
			play.task?.record({ number, notices: [], screenshot: Buffer.from('jpeg') } as never);
		}
		expect(play.job.lastSteps.map(({ number }) => number)).toEqual([
			3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
		]);
		expect(play.job.lastSteps[0]).not.toHaveProperty('screenshot');
	});
});
