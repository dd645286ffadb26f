import { randomBytes } from 'node:crypto';
import path from 'node:path';

import { Refusal } from '../../api/backend';
import type { Step } from '../agent/Step';
import { removeLeftHomes } from '../browser/browserHome';
import type { JobBrowser } from '../browser/JobBrowser';
import type { BrowserRequest } from '../browser/openBrowser';
import { JobFailure } from '../JobFailure';
import type { Log } from '../log';
import { Browsers, type BrowserWish } from './Browsers';
import type { Clock } from './clock';
import type { Credits } from './Credits';
import type { DataFolder } from './DataFolder';
import { Job, type JobLimits, type JobParts, type JobTask } from './Job';
import type { JobRecord } from './JobRecord';
import { type FoundJob, type JobStore, toRecordedFiles } from './JobStore';
import { folderBytes, jobsToRemove } from './retention';

/** Jobs and browsers that are held without a place: paused, or kept open and not used. */
const MAX_HELD = 4;
const TIDY_INTERVAL_MS = 60 * 60_000;
const STOPPED = 'The service was stopped while the job was running';

/** What a job is to do: an agent's as well as a saved workflow's. */
export interface JobRequest {
	kind: JobRecord['kind'];
	directive: string;
	initialUrl?: string;
	workflowId?: string;
	/** `provider/name` of the model that acts. */
	model: string;
	/** The name that the request gave, where it stands for another model. */
	requestedModel?: string;
	ownBrowser?: JobRecord['ownBrowser'];
	browser: BrowserWish;
	limits: JobLimits;
	/** Does the job in its browser. Rejects with a JobFailure. */
	work(task: JobTask, job: Job): Promise<unknown>;
}

/** What the jobs of a service need. */
export interface JobsParts {
	clock: Clock;
	log: Log;
	folder: DataFolder;
	store: JobStore;
	credits: Credits;
	/** How many jobs have a place at a time. */
	maxJobs: number;
	/** Of the data folder. */
	maxBytes: number;
	openBrowser(request: BrowserRequest, signal: AbortSignal): Promise<JobBrowser>;
}

/** All jobs of a service, in a folder that nobody else uses. */
export class Jobs {
	/** By ID, oldest first. */
	private readonly jobs = new Map<string, Job>();
	/** Bytes of the jobs' folders, as far as they have been measured. */
	private readonly bytes = new Map<string, number>();
	/** Bytes of the profile, workflows and temporary files. */
	private otherBytes = 0;
	private readonly browsers: Browsers;
	private isStopping = false;
	private stopTimer = () => {};

	constructor(private readonly parts: JobsParts) {
		this.browsers = new Browsers({
			clock: parts.clock,
			profileFolder: parts.folder.profile,
			openBrowser: parts.openBrowser,
			onKept: () => this.endOldestHeld(),
		});
	}

	/**
	 * Loads the jobs on disk; those that have not ended are failed. What is above the limits is removed
	 * as soon as it has been measured: a thousand jobs have a hundred thousand files.
	 */
	load(): void {
		const found = this.parts.store.findAll().map((job) => this.toEndedRecord(job));
		found.sort((one, other) => one.createdAt - other.createdAt);
		for (const record of found) this.jobs.set(record.id, new Job(record, this.endedParts()));
		this.removeOld();
		void this.measureAll();
	}

	find(id: string): Job | undefined {
		return this.jobs.get(id);
	}

	/** All jobs that are kept, the newest first. */
	newestFirst(): Job[] {
		return [...this.jobs.values()].reverse();
	}

	/**
	 * Starts a job; its record is on disk when this returns. Throws a Refusal if it may not run now, or
	 * its record can't be written: 429 tells the client that nothing was started.
	 */
	start(request: JobRequest): Job {
		if (this.isStopping) throw new Refusal(429, 'The service is being stopped');
		this.browsers.check(request.browser);
		const { maxJobs, maxBytes } = this.parts;
		if (this.takenPlaces() >= maxJobs) {
			const limit = maxJobs === 1 ? '1 job' : `${maxJobs} jobs`;
			throw new Refusal(429, `SERVICE_MAX_JOBS is reached: ${limit} at a time`);
		}
		this.removeOld();
		if (this.totalBytes() > maxBytes) {
			throw new Refusal(
				429,
				'SERVICE_MAX_GB is reached: the data folder is full, and no job in it may be removed yet',
			);
		}

		const record = this.newRecord(request);
		try {
			this.parts.store.create(record);
		} catch (error) {
			if (error instanceof JobFailure) throw new Refusal(429, error.message);
			throw error;
		}
		const job: Job = new Job(
			record,
			this.partsFor(request, () => job),
		);
		this.jobs.set(job.id, job);
		this.browsers.reserve(request.browser, job);
		this.parts.log.jobStarted(record);
		job.begin();
		void job.released.then(async () => await this.measure(job.id));
		return job;
	}

	/**
	 * Fails the jobs that have not ended, and closes all browsers. Resolves when nothing is left of
	 * them. Never rejects.
	 */
	async stop(): Promise<void> {
		this.isStopping = true;
		this.stopTimer();
		for (const job of this.jobs.values()) job.fail(new JobFailure(STOPPED));
		await Promise.all([...this.jobs.values()].map(async (job) => await job.released));
		await this.browsers.close();
	}

	private partsFor(request: JobRequest, getJob: () => Job): JobParts {
		const { clock, store, credits, log } = this.parts;
		return {
			clock,
			limits: request.limits,
			save: (record) => store.save(record),
			saveStep: (step) => this.saveStep(getJob(), step),
			takeCredit: () => credits.take(),
			open: async (signal) => {
				const job = getJob();
				return await this.browsers.open(request.browser, job, store.filesFolder(job.id), signal);
			},
			work: async (task) => await request.work(task, getJob()),
			toFiles: ({ downloads }) => toRecordedFiles(downloads),
			release: async (browser) => await this.browsers.release(browser, getJob()),
			onChange: (job) => this.onChange(job),
			onDefect: (error) => log.defect(error),
		};
	}

	/** Of jobs that have ended in another run of the service: nothing happens to them. */
	private endedParts(): JobParts {
		const never = async () => await Promise.reject(new Error('The job has ended'));
		return {
			clock: this.parts.clock,
			limits: { maxDurationMinutes: 0, idleTimeoutMinutes: 0 },
			save: () => {},
			saveStep: () => {},
			takeCredit: () => {},
			open: never,
			work: never,
			toFiles: () => [],
			release: async () => {},
			onChange: () => {},
			onDefect: () => {},
		};
	}

	private newRecord(request: JobRequest): JobRecord {
		const now = this.parts.clock.now();
		return {
			id: `job_${randomBytes(12).toString('hex')}`,
			kind: request.kind,
			status: 'provisioning',
			directive: request.directive,
			initialUrl: request.initialUrl,
			workflowId: request.workflowId,
			model: request.model,
			requestedModel: request.requestedModel,
			ownBrowser: this.ownBrowserOf(request),
			liveSecret: newSecret(),
			historySecret: newSecret(),
			createdAt: now,
			updatedAt: now,
			creditsUsed: 0,
			inputTokens: 0,
			outputTokens: 0,
			output: null,
			files: [],
		};
	}

	/** Of a browser that another job has kept, people watch this job, not the other one. */
	private ownBrowserOf({ ownBrowser, browser }: JobRequest): JobRecord['ownBrowser'] {
		if (!ownBrowser || !this.browsers.isKept(browser)) return ownBrowser;
		return { cdpUrl: ownBrowser.cdpUrl };
	}

	/** What becomes of a job that is found on disk. */
	private toEndedRecord(found: FoundJob): JobRecord {
		const now = this.parts.clock.now();
		if (!found.record) {
			this.parts.log.damagedJob(found.id);
			return toDamagedRecord(found.id, found.changedAt);
		}
		if (found.record.endedAt !== undefined) return { ...found.record, cdpUrl: undefined };
		const record: JobRecord = {
			...found.record,
			status: 'failed',
			error: STOPPED,
			cdpUrl: undefined,
			updatedAt: now,
			endedAt: now,
		};
		try {
			this.parts.store.save(record);
		} catch (error) {
			// The next start of the service finds it again.
			this.parts.log.warning((error as Error).message);
		}
		this.parts.log.jobEnded(record);
		return record;
	}

	private saveStep(job: Job, step: Step): void {
		this.parts.store.saveStep(job.id, step);
		this.parts.log.step(job.id, step);
	}

	private onChange(job: Job): void {
		if (job.hasEnded) this.parts.log.jobEnded(job.record);
		else this.parts.log.jobChanged(job.record);
		this.endOldestHeld();
	}

	private takenPlaces(): number {
		return [...this.jobs.values()].filter((job) => !job.hasEnded && job.status !== 'paused').length;
	}

	/** Paused jobs and kept browsers need memory, but have no place: only so many are held. */
	private endOldestHeld(): void {
		const paused = [...this.jobs.values()]
			.filter(({ status }) => status === 'paused')
			.map((job) => ({
				since: job.statusSince,
				close: () => {
					const sentence = `More than ${MAX_HELD} paused jobs and kept browsers were held, this one for longest`;
					job.fail(new JobFailure(sentence));
				},
			}));
		const held = [...paused, ...this.browsers.unused];
		held.sort((one, other) => one.since - other.since);
		for (const { close } of held.slice(0, Math.max(0, held.length - MAX_HELD))) close();
	}

	private async measure(id: string): Promise<void> {
		const bytes = await folderBytes(path.join(this.parts.folder.jobs, id));
		if (this.jobs.has(id)) this.bytes.set(id, bytes);
	}

	private async measureAll(): Promise<void> {
		for (const id of [...this.jobs.keys()]) {
			if (this.isStopping) return;
			await this.measure(id);
		}
		await this.tidy();
	}

	/**
	 * Removes what browsers have left, measures what is no job's, removes what is too much, and does
	 * so again each hour.
	 */
	private async tidy(): Promise<void> {
		await removeLeftHomes(this.parts.folder.path);
		const { profile, workflows, tmp } = this.parts.folder;
		const sizes = await Promise.all([profile, workflows, tmp].map(folderBytes));
		this.otherBytes = sizes.reduce((sum, size) => sum + size, 0);
		if (this.isStopping) return;
		this.removeOld();
		this.stopTimer = this.parts.clock.after(TIDY_INTERVAL_MS, () => void this.tidy());
	}

	private totalBytes(): number {
		return [...this.bytes.values()].reduce((sum, bytes) => sum + bytes, this.otherBytes);
	}

	private removeOld(): void {
		const kept = [...this.jobs.values()].map(({ id, record }) => ({
			id,
			endedAt: record.endedAt,
			bytes: this.bytes.get(id) ?? 0,
		}));
		const limits = {
			now: this.parts.clock.now(),
			otherBytes: this.otherBytes,
			maxBytes: this.parts.maxBytes,
		};
		for (const id of jobsToRemove(kept, limits)) {
			this.jobs.delete(id);
			this.bytes.delete(id);
			void this.parts.store.remove(id);
		}
	}
}

function toDamagedRecord(id: string, changedAt: number): JobRecord {
	return {
		id,
		kind: 'agent',
		status: 'failed',
		error: 'The record of the job is damaged: what is left of it is in its folder',
		directive: '',
		model: '',
		liveSecret: newSecret(),
		historySecret: newSecret(),
		createdAt: changedAt,
		updatedAt: changedAt,
		endedAt: changedAt,
		creditsUsed: 0,
		inputTokens: 0,
		outputTokens: 0,
		output: null,
		files: [],
	};
}

function newSecret(): string {
	return randomBytes(24).toString('base64url');
}
