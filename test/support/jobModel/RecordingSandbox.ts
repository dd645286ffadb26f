import { Readable } from 'node:stream';

import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { outcomeOf, type Outcome } from '../../../dev/fuzz/jobPromises';
import { type HelperResponse, InProcessSandbox } from '../../../dev/sandbox/InProcessSandbox';
import type { Account } from '../../../api/Account';
import type { Job } from '../../../dev/sandbox/state/Job';
import type { LogEntry } from '../../../dev/sandbox/state/RequestLog';
import type { Fault, JobScript } from '../../../dev/sandbox/types';
import type { Clock } from '../../../nodes/async/clock';

/** The execution that a request belongs to. `owner` is its process. */
export interface Caller {
	owner: { isDead: boolean };
}

/** A request that a node or, without a caller, the user in the web platform has sent. */
export interface ServiceRequest {
	endpoint: LogEntry['endpoint'];
	caller?: Caller;
	sentAt: number;
	/** What a job was started for. */
	task?: string;
	/** The job that it was about or that it has started. */
	job?: Job;
	/** The status of the job that it has read. */
	status?: string;
	/** Whether the service has carried it out, whatever the response. */
	isProcessed?: boolean;
	/** What its response has proved; unset: there was none yet. */
	outcome?: Outcome;
	answeredAt?: number;
}

const KEY = 'sandbox-pro-key';
const LATENCY_MS = 20;
// Jobs without a script outlast every wait.
const DEFAULT_JOB_SECONDS = 3_600;

/** The sandbox in process, and a record of what was sent and what the responses have proved. */
export class RecordingSandbox {
	readonly requests: ServiceRequest[] = [];

	private readonly sandbox: InProcessSandbox;

	constructor(private readonly clock: Clock) {
		const options = { clock, defaultJobSeconds: DEFAULT_JOB_SECONDS };
		this.sandbox = new InProcessSandbox(options, () => LATENCY_MS);
	}

	get url(): string {
		return this.sandbox.url;
	}

	get jobs(): Job[] {
		return [...this.sandbox.state.jobs.values()];
	}

	/** What goes wrong with the next requests, and how the next jobs go. */
	script(faults: Fault[], jobs: JobScript[]): void {
		const { state } = this.sandbox;
		for (const fault of faults) state.faults.add(fault);
		state.scripts.add(jobs);
	}

	statusOf(job: Job): string {
		return job.status(this.sandbox.state.runDueEvents());
	}

	/** Somebody else starts a job. */
	startJob(directive: string): Job {
		const { state } = this.sandbox;
		const account = state.accounts.get(KEY) as Account;
		const script = state.scripts.take(directive);
		return state.startGivenJob(account, script, { directive });
	}

	/** What a user does in the web platform. A job that was taken over is handed back by a resume. */
	byUser(action: 'pause' | 'resume' | 'takeOver', job: Job): void {
		const isProcessed = job[action](this.sandbox.state.runDueEvents());
		if (action === 'takeOver') return;
		const endpoint = action === 'pause' ? 'pauseJob' : 'resumeJob';
		this.requests.push({ endpoint, job, isProcessed, sentAt: this.clock.now() });
	}

	/** n8n's HTTP helpers, as the caller has them. Each file takes `fileMs` to arrive. */
	helpersFor(
		caller: Caller,
		fileMs = 0,
	): Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'httpRequestWithAuthentication'> {
		const send = async (options: IHttpRequestOptions) => await this.receive(options, caller);
		return {
			httpRequest: async (options) =>
				options.url.includes('/files/')
					? await this.sendFile(options, fileMs)
					: await send(options),
			httpRequestWithAuthentication: async (_credential, { headers, ...options }) =>
				await send({ ...options, headers: { ...headers, Authorization: `Bearer ${KEY}` } }),
		};
	}

	private async sendFile(
		{ abortSignal }: IHttpRequestOptions,
		fileMs: number,
	): Promise<HelperResponse> {
		await this.clock.sleep(fileMs, abortSignal as AbortSignal | undefined);
		if (abortSignal?.aborted === true) {
			throw Object.assign(new Error('ERR_CANCELED'), { code: 'ERR_CANCELED' });
		}
		const headers = { 'content-type': 'text/plain' };
		return { statusCode: 200, headers, body: Readable.from([Buffer.from('a')]) };
	}

	private async receive(options: IHttpRequestOptions, caller: Caller): Promise<HelperResponse> {
		if (caller.owner.isDead) return await never();
		const { logEntry, processed, response } = this.sandbox.receive(options);
		const request = this.record(logEntry, caller);
		request.isProcessed = processed?.status === 200;
		request.job ??= this.jobOf(logEntry);
		if (processed !== undefined) request.status = request.job && this.statusOf(request.job);
		let isRefused = false;
		try {
			return await response;
		} catch (error) {
			isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
			throw error as Error;
		} finally {
			if (caller.owner.isDead) await never();
			request.outcome = isRefused ? 'nothing' : outcomeOf(logEntry);
			request.answeredAt = this.clock.now();
		}
	}

	private record(entry: LogEntry, caller: Caller): ServiceRequest {
		const { endpoint, rawBody = '{}' } = entry;
		const { directive: task } = JSON.parse(rawBody) as { directive?: string };
		const job = this.jobOf(entry);
		const request = { endpoint, caller, task, job, sentAt: this.clock.now() };
		this.requests.push(request);
		return request;
	}

	private jobOf({ jobId = '' }: LogEntry): Job | undefined {
		return this.sandbox.state.jobs.get(jobId);
	}
}

async function never(): Promise<never> {
	return await new Promise(() => {});
}
