import type { IDataObject, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { Readable } from 'node:stream';

import type { ModelTime } from './ModelTime';

// Equal calls of a tool share a job and a deadline, at which each of them polls once more.
const LAST_POLL_WITHIN_MS = 10_000;

/** How a request ends. `isProcessed`: whether the service carries it out although its response is lost. */
export type Reply =
	| { kind: 'ok'; afterMs: number }
	| { kind: 'slow body'; afterMs: number }
	| {
			kind: 'status';
			statusCode: number;
			afterMs: number;
			isProcessed: boolean;
			retryAfter?: number;
	  }
	| { kind: 'lost'; code: 'ECONNRESET' | 'EPROTO'; afterMs: number; isProcessed: boolean }
	| { kind: 'no connection'; code: 'ECONNREFUSED' | 'ENOTFOUND'; afterMs: number }
	| { kind: 'hang'; isProcessed: boolean }
	| { kind: 'unreadable'; body: string; afterMs: number; isProcessed: boolean }
	| { kind: 'truncated'; afterMs: number; isProcessed: boolean };

export type Endpoint = 'start' | 'poll' | 'pause' | 'resume' | 'balance';

/** The execution that a request belongs to. `owner` is its process. */
export interface Caller {
	name: string;
	owner: { isDead: boolean };
}

export interface ModelJob {
	jobId: string;
	/** The caller that has started it; unset: it was there before. */
	caller?: Caller;
	task: string;
	status: string;
	/** When a running process received its ID in a readable response. */
	namedAt?: number;
	/** Whether the last pause was asked for by a node, and no resume since. */
	isPausedByNode: boolean;
	/** When it was paused last. */
	pausedAt: number;
	/** When the user resumed it last, and whether a node had paused it. */
	resumedByUser?: { at: number; wasPausedByNode: boolean };
	polls: number;
	pauseRequests: number;
	/** Whether its status may be asked for, since a pause request was sent and no status was read after it. */
	mayBeChecked: boolean;
	failedPauses: number;
	/** For how long it still runs, and since when. */
	leftMs: number;
	runningSince: number;
	endStatus: string;
	/** When a poll has first shown that it has failed. */
	shownFailedAt?: number;
}

export interface StartSent {
	caller: Caller;
	task: string;
	at: number;
	/** What its response has proved; unset: it has none yet. */
	outcome?: 'started' | 'nothing' | 'unclear';
	/** The job that the service has started for it. */
	job?: ModelJob;
}

// What proves that no job was started.
const REJECTIONS = [301, 307, 308, 400, 401, 402, 403, 404, 422, 429];

/** The service without a network: scripted replies, jobs, and a record of what the nodes have sent. */
export class ModelService {
	readonly jobs: ModelJob[] = [];

	readonly starts: StartSent[] = [];

	/** Requests that must not have been sent. */
	readonly violations: string[] = [];

	balance = 1_000;

	/** The lowest balance so far. */
	lowestBalance = 1_000;

	private readonly replies: Record<Endpoint, Reply[]> = {
		start: [],
		poll: [],
		pause: [],
		resume: [],
		balance: [],
	};

	constructor(
		private readonly time: ModelTime,
		private readonly isStopped: (caller: Caller) => boolean,
	) {}

	/** The next request to this endpoint without a reply yet gets this one. */
	script(endpoint: Endpoint, reply: Reply): void {
		this.replies[endpoint].push(reply);
	}

	setBalance(credits: number): void {
		this.balance = credits;
		this.lowestBalance = Math.min(this.lowestBalance, credits);
	}

	/** From now on everything succeeds, and all jobs that run have an end. */
	calmDown(): void {
		for (const replies of Object.values(this.replies)) replies.length = 0;
		for (const job of this.jobs) {
			this.update(job);
			if (job.status === 'paused' && !job.isPausedByNode) this.resume(job);
			job.leftMs = Math.min(job.leftMs, 1_000);
		}
	}

	createJob(task: string, caller?: Caller): ModelJob {
		const job = {
			jobId: `job_${String(this.jobs.length + 1).padStart(4, '0')}x`,
			caller,
			task,
			status: 'running',
			isPausedByNode: false,
			pausedAt: 0,
			polls: 0,
			pauseRequests: 0,
			mayBeChecked: false,
			failedPauses: 0,
			leftMs: Infinity,
			runningSince: this.time.now,
			endStatus: 'completed',
		};
		this.jobs.push(job);
		return job;
	}

	/** The job as it is now. */
	update(job: ModelJob): ModelJob {
		if (job.status === 'running' && this.time.now >= job.runningSince + job.leftMs) {
			job.status = job.endStatus;
		}
		return job;
	}

	pause(job: ModelJob): boolean {
		if (this.update(job).status !== 'running') return false;
		job.status = 'paused';
		job.leftMs -= this.time.now - job.runningSince;
		job.pausedAt = this.time.now;
		return true;
	}

	resume(job: ModelJob): boolean {
		if (job.status !== 'paused') return false;
		job.status = 'running';
		job.isPausedByNode = false;
		job.runningSince = this.time.now;
		return true;
	}

	resumeByUser(job: ModelJob): void {
		const wasPausedByNode = job.isPausedByNode;
		if (this.resume(job)) job.resumedByUser = { at: this.time.now, wasPausedByNode };
	}

	/** n8n's HTTP helpers, as the caller has them. */
	helpersFor(
		caller: Caller,
	): Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'httpRequestWithAuthentication'> {
		const send = async (options: IHttpRequestOptions) => await this.receive(options, caller);
		return {
			httpRequest: send,
			httpRequestWithAuthentication: async (_credential, options) => await send(options),
		};
	}

	private async receive(options: IHttpRequestOptions, caller: Caller): Promise<unknown> {
		const { url, abortSignal } = options;
		if (caller.owner.isDead) return await new Promise(() => {});
		if ((abortSignal as AbortSignal).aborted) throw networkError('ERR_CANCELED');
		const [endpoint, id] = toEndpoint(new URL(url).pathname);
		const reply = this.replies[endpoint].shift() ?? { kind: 'ok', afterMs: 20 };
		const isReceived = reply.kind !== 'no connection';
		// The response to a command is not documented: any body of a success will do.
		const isSuccess =
			reply.kind === 'ok' ||
			reply.kind === 'slow body' ||
			(reply.kind === 'unreadable' && (endpoint === 'pause' || endpoint === 'resume'));
		const isProcessed = isSuccess || (isReceived && reply.isProcessed);
		// The node has done what it can: it waits for somebody else to resume the job.
		const isRejected =
			reply.kind === 'status' && reply.statusCode < 500 && reply.statusCode !== 429;
		if (endpoint === 'resume' && isRejected) this.update(this.find(id)).isPausedByNode = false;
		const start = endpoint === 'start' ? this.noteStart(caller, taskOf(options)) : undefined;
		const result = isReceived
			? this.process(endpoint, id, caller, start?.task ?? '', isProcessed)
			: { body: {} };
		if (start !== undefined) start.job = result.job;
		try {
			const response = await this.deliver(reply, result, caller, abortSignal as AbortSignal, () => {
				if (start !== undefined) start.outcome = 'started';
				if (result.job === undefined) return;
				if (endpoint === 'start') result.job.namedAt = this.time.now;
				if (endpoint === 'poll') result.job.mayBeChecked = false;
			});
			if (start !== undefined && reply.kind !== 'ok' && reply.kind !== 'slow body') {
				start.outcome = REJECTIONS.includes(response.statusCode) ? 'nothing' : 'unclear';
			}
			if (endpoint === 'pause' && response.statusCode >= 300) this.noteFailedPause(id);
			return response;
		} catch (error) {
			if (start !== undefined) start.outcome = isReceived ? 'unclear' : 'nothing';
			if (endpoint === 'pause') this.noteFailedPause(id);
			throw toError(error);
		}
	}

	private noteStart(caller: Caller, task: string): StartSent {
		const start: StartSent = { caller, task, at: this.time.now };
		if (this.isStopped(caller)) this.violations.push(`a start of ${task} after the Stop`);
		this.starts.push(start);
		return start;
	}

	private noteFailedPause(id: string): void {
		this.find(id).failedPauses++;
	}

	private find(id: string): ModelJob {
		const job = this.jobs.find(({ jobId }) => jobId === id);
		if (job === undefined) throw new Error(`There is no job ${id}`);
		return job;
	}

	private process(
		endpoint: Endpoint,
		jobId: string,
		caller: Caller,
		task: string,
		isProcessed: boolean,
	): { body: IDataObject; statusCode?: number; job?: ModelJob } {
		if (endpoint === 'balance') {
			return { body: { unlimited: false, credit_balance: this.balance } };
		}
		if (endpoint === 'start') {
			if (!isProcessed) return { body: {} };
			const job = this.createJob(task, caller);
			return {
				job,
				body: {
					job_id: job.jobId,
					status: 'running',
					live_url: `https://live.example.com/${job.jobId}`,
				},
			};
		}
		const job = this.update(this.find(jobId));
		if (endpoint === 'pause') {
			job.pauseRequests++;
			job.mayBeChecked = true;
			if (isProcessed && this.pause(job)) job.isPausedByNode = true;
			else if (isProcessed)
				return { body: { detail: `The job is ${job.status}` }, statusCode: 409 };
		} else if (endpoint === 'resume') {
			if (isProcessed && !this.resume(job)) {
				return { body: { detail: `The job is ${job.status}` }, statusCode: 409 };
			}
		} else {
			job.polls++;
			if (job.status === 'failed') job.shownFailedAt ??= this.time.now;
			const isLastPoll = this.time.now - job.pausedAt < LAST_POLL_WITHIN_MS;
			if (job.isPausedByNode && job.status === 'paused' && !isLastPoll && !job.mayBeChecked) {
				this.violations.push(`${jobId} is waited for, paused by the node itself`);
			}
		}
		return { job, body: { status: job.status, output: `The output of ${job.task}` } };
	}

	private async deliver(
		reply: Reply,
		{ body, statusCode = 200 }: { body: IDataObject; statusCode?: number },
		caller: Caller,
		signal: AbortSignal,
		onRead: () => void,
	) {
		const afterMs = reply.kind === 'hang' ? Infinity : reply.afterMs;
		if (afterMs === Infinity) await aborted(signal);
		else await this.time.sleep(afterMs, caller.owner, signal);
		if (signal.aborted) throw networkError('ERR_CANCELED');
		const text = JSON.stringify(body);
		switch (reply.kind) {
			case 'ok':
				onRead();
				return response(statusCode, [text]);
			case 'slow body':
				return {
					statusCode,
					headers: {},
					body: Readable.from(this.slowly(text, caller, signal, onRead)),
				};
			case 'status':
				return response(
					reply.statusCode,
					['{"detail":"Not now"}'],
					reply.retryAfter === undefined ? {} : { 'retry-after': String(reply.retryAfter) },
				);
			case 'unreadable':
				return response(200, [reply.body]);
			case 'truncated':
				return { statusCode: 200, headers: {}, body: Readable.from(cutOff(text)) };
			case 'no connection':
				throw networkError(reply.code, 'connect');
			default:
				throw networkError(reply.kind === 'lost' ? reply.code : 'ERR_CANCELED');
		}
	}

	private async *slowly(text: string, { owner }: Caller, signal: AbortSignal, onRead: () => void) {
		for (const part of [text.slice(0, 5), text.slice(5, 10), text.slice(10)]) {
			await this.time.sleep(4_000, owner, signal);
			if (signal.aborted) throw networkError('ERR_CANCELED');
			if (part === text.slice(10)) onRead();
			yield Buffer.from(part);
		}
	}
}

function toEndpoint(path: string): [Endpoint, string] {
	const id = path.split('/').at(-1) ?? '';
	if (path.includes('run_browser_agent')) return ['start', ''];
	if (path.includes('get_job_status')) return ['poll', id];
	if (path.includes('pause_job')) return ['pause', id];
	if (path.includes('resume_job')) return ['resume', id];
	if (path.includes('get_credit_balance')) return ['balance', ''];
	throw new Error(`The model knows no ${path}`);
}

function taskOf({ body }: IHttpRequestOptions): string {
	return (JSON.parse(String(body)) as { directive: string }).directive;
}

function response(statusCode: number, parts: string[], headers: Record<string, string> = {}) {
	return { statusCode, headers, body: Readable.from(parts.map((part) => Buffer.from(part))) };
}

async function* cutOff(text: string) {
	yield Buffer.from(text.slice(0, text.length / 2));
	await Promise.resolve();
	throw networkError('ECONNRESET');
}

async function aborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return;
	await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

function networkError(code: string, syscall?: string): Error {
	return Object.assign(new Error(code), { code, syscall });
}

function toError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}
