import axios, { type AxiosError, type AxiosInstance } from 'axios';

import type { LoggedJob } from './api/toLoggedJob';
import type { Counters, Fault, JobScript, LoggedRequest, RateLimits, RequestFilter } from './types';

/** Controls and observes a running sandbox over HTTP, from any process. */
export class AdminClient {
	private readonly http: AxiosInstance;

	/** `url` is the sandbox's origin. Every method rejects with the admin API's own message. */
	constructor(url: string) {
		this.http = axios.create({ baseURL: `${url}/_sandbox`, proxy: false });
		this.http.interceptors.response.use(undefined, (error: AxiosError<{ detail?: string }>) => {
			throw new Error(`Sandbox admin API: ${error.response?.data.detail ?? error.message}`);
		});
	}

	/** Scripts the next matching start. A list of statuses is short for `{ statuses }`. */
	async nextJob(script: JobScript | string[]): Promise<void> {
		await this.nextJobs([script]);
	}

	/** Scripts the next starts, one each, in this order. */
	async nextJobs(scripts: Array<JobScript | string[]>): Promise<void> {
		const queue = scripts.map((script) => (Array.isArray(script) ? { statuses: script } : script));
		await this.http.post('/scripts', queue);
	}

	/** Injects a fault into the next matching requests, after the faults added before. */
	async fault(fault: Fault): Promise<void> {
		await this.http.post('/faults', fault);
	}

	/** Oldest first. */
	async jobs(): Promise<LoggedJob[]> {
		return (await this.http.get<LoggedJob[]>('/jobs')).data;
	}

	/** Requests to the service and for job files, oldest first. */
	async requests(filter: RequestFilter = {}): Promise<LoggedRequest[]> {
		return (await this.http.get<LoggedRequest[]>('/requests', { params: filter })).data;
	}

	async counters(): Promise<Counters> {
		return (await this.http.get<Counters>('/counters')).data;
	}

	/** Moves the sandbox clock ahead and returns the new time in ms since 1970. */
	async advance(seconds: number): Promise<number> {
		return (await this.http.post<{ now: number }>('/time/advance', { seconds })).data.now;
	}

	/** Switches the rate limits on or off, and forgets the calls counted so far. */
	async setLimits(limits: RateLimits): Promise<void> {
		await this.http.post('/limits', { limits });
	}

	/** Rejects for an unknown key and for an account with unlimited credits. */
	async setCredits(key: string, credits: number): Promise<void> {
		await this.http.post('/credits', { key, credits });
	}

	/** Restores the initial state: no jobs, scripts, faults or log, and the original settings. */
	async reset(): Promise<void> {
		await this.http.post('/reset');
	}
}
