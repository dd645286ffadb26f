import axios, { type AxiosError, type AxiosInstance } from 'axios';

import type {
	Counters,
	Fault,
	JobScript,
	LimitSettings,
	LoggedJob,
	LoggedRequest,
	RequestFilter,
} from './types';

/** Directs and observes a running sandbox over HTTP, from whichever process. */
export class AdminClient {
	private readonly http: AxiosInstance;

	constructor(url: string) {
		this.http = axios.create({ baseURL: `${url}/_sandbox`, proxy: false });
		this.http.interceptors.response.use(undefined, (error: AxiosError<{ detail?: string }>) => {
			throw new Error(`The sandbox's admin face: ${error.response?.data.detail ?? error.message}`);
		});
	}

	/** The next matching start takes this script. A list of statuses is short for `{ statuses }`. */
	async nextJob(script: JobScript | string[]): Promise<void> {
		await this.nextJobs([script]);
	}

	/** One script per start, in this order. */
	async nextJobs(scripts: Array<JobScript | string[]>): Promise<void> {
		const queue = scripts.map((script) => (Array.isArray(script) ? { statuses: script } : script));
		await this.http.post('/scripts', queue);
	}

	async fault(fault: Fault): Promise<void> {
		await this.http.post('/faults', fault);
	}

	async clearFaults(): Promise<void> {
		await this.http.delete('/faults');
	}

	/** All jobs in the order of their start. */
	async jobs(): Promise<LoggedJob[]> {
		return (await this.http.get<LoggedJob[]>('/jobs')).data;
	}

	async job(jobId: string): Promise<LoggedJob> {
		return (await this.http.get<LoggedJob>(`/jobs/${encodeURIComponent(jobId)}`)).data;
	}

	/** What arrived at the service and at the files' origin, oldest first. */
	async requests(filter: RequestFilter = {}): Promise<LoggedRequest[]> {
		return (await this.http.get<LoggedRequest[]>('/requests', { params: filter })).data;
	}

	async counters(): Promise<Counters> {
		return (await this.http.get<Counters>('/counters')).data;
	}

	/** The sandbox's time, in milliseconds since 1970. */
	async now(): Promise<number> {
		return (await this.http.get<{ now: number }>('/time')).data.now;
	}

	/** Moves the clock on; everything that was due happens in its order. Returns the new time. */
	async advance(seconds: number): Promise<number> {
		return (await this.http.post<{ now: number }>('/time/advance', { seconds })).data.now;
	}

	/** Every account begins anew under these limits. */
	async setLimits(settings: LimitSettings): Promise<void> {
		await this.http.post('/limits', settings);
	}

	async setCredits(key: string, credits: number): Promise<void> {
		await this.http.post('/credits', { key, credits });
	}

	/** Forgets jobs, scripts, faults and the log; accounts, limits and the clock begin anew. */
	async reset(): Promise<void> {
		await this.http.post('/reset');
	}
}
