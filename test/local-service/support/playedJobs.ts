import type { JobBrowser } from '../../../local-service/browser/JobBrowser';
import type { BrowserRequest } from '../../../local-service/browser/openBrowser';
import { Credits } from '../../../local-service/jobs/Credits';
import { DataFolder } from '../../../local-service/jobs/DataFolder';
import type { JobTask } from '../../../local-service/jobs/Job';
import { type JobRequest, Jobs } from '../../../local-service/jobs/Jobs';
import { JobStore } from '../../../local-service/jobs/JobStore';
import { Log } from '../../../local-service/log';
import { deferred, type Deferred } from './deferred';
import { FakeBrowser } from './FakeBrowser';
import { FakeClock, settle } from './FakeClock';

/** A request for a job with these differences. */
export type RequestChanges = Partial<Omit<JobRequest, 'browser' | 'limits' | 'work'>> & {
	browser?: Partial<JobRequest['browser']>;
};

/** The jobs of a service with fake browsers and agents, on a real disk. */
export class PlayedJobs {
	readonly lines: string[] = [];
	/** In the order in which they were opened. */
	readonly browsers: FakeBrowser[] = [];
	readonly requests: BrowserRequest[] = [];
	/** How the agent of each job ends, and what it was given, by the job's ID. */
	readonly ends = new Map<string, Deferred<unknown>>();
	readonly tasks = new Map<string, JobTask>();
	/** Holds the start of browsers. */
	opening: Promise<void> = Promise.resolve();
	private lastPort = 9000;

	private constructor(
		readonly jobs: Jobs,
		readonly clock: FakeClock,
		readonly folder: DataFolder,
		readonly store: JobStore,
	) {}

	static async open(
		path: string,
		{ maxJobs = 2, maxBytes = Infinity, clock = new FakeClock() } = {},
	): Promise<PlayedJobs> {
		const folder = await DataFolder.open(path);
		const store = new JobStore(folder);
		const jobs: Jobs = new Jobs({
			clock,
			log: new Log(
				(line) => played.lines.push(line),
				() => clock.now(),
			),
			folder,
			store,
			credits: new Credits(folder.credits, undefined, clock),
			maxJobs,
			maxBytes,
			openBrowser: async (request) => await played.openBrowser(request),
		});
		const played = new PlayedJobs(jobs, clock, folder, store);
		jobs.load();
		return played;
	}

	start({ browser, ...more }: RequestChanges = {}) {
		return this.jobs.start({
			kind: 'agent',
			directive: 'Find the price',
			model: 'local/model',
			browser: {
				width: 1920,
				height: 1080,
				keepOpen: false,
				useProfile: false,
				idleTimeoutMinutes: 2,
				...browser,
			},
			limits: { maxDurationMinutes: 30, idleTimeoutMinutes: 2 },
			work: async (task, job) => {
				this.tasks.set(job.id, task);
				const end = deferred<unknown>();
				this.ends.set(job.id, end);
				return await end.promise;
			},
			...more,
		});
	}

	/** Starts a job and waits until its agent works. */
	async running(changes?: RequestChanges) {
		const job = this.start(changes);
		await settle();
		return job;
	}

	async complete(id: string): Promise<void> {
		this.ends.get(id)?.resolve('done');
		await settle();
	}

	/** Ends the service; the folder can be opened again. */
	async close(): Promise<void> {
		await this.jobs.stop();
		await this.folder.close();
	}

	private async openBrowser(request: BrowserRequest): Promise<JobBrowser> {
		this.requests.push(request);
		await this.opening;
		const browser = new FakeBrowser(
			request.keepOpen ? `ws://127.0.0.1:${++this.lastPort}/devtools/browser/1` : undefined,
		);
		this.browsers.push(browser);
		return browser;
	}
}
