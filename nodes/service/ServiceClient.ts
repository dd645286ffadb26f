import type { IDataObject } from 'n8n-workflow';

import { rethrow } from '../async/rethrow';
import { retry, type RetryPolicy } from '../async/retry';
import { ServiceError } from '../errors/ServiceError';
import { UserError } from '../errors/UserError';
import { isObject } from '../isObject';
import type { Account } from './Account';
import { receive, type DownloadOptions, type ReadFile, type Received } from './download';
import type { HttpClient } from './HttpClient';
import { readText, type ByteStream } from './httpResponse';
import { toId } from './toId';
import type { Permit, RateLimiter } from './RateLimiter';
import type { Redactor } from './redact';
import { throwIfRefused, toDetail } from './responseError';
import { COMMAND_POLICY, READ_POLICY } from './retryPolicies';
import type { StartRequest } from './startRequests';
import type {
	Health,
	Job,
	JobFile,
	JobFileList,
	RunBrowserAgentRequest,
	StartedJob,
} from './types';

// A start may have to wait for a browser; giving up on it early would only make it unclear.
const START_TIMEOUT_MS = 120_000;
// In queue mode a Stop may not reach a worker, so that waiting for a permit needs an end.
const MAX_QUEUE_MS = 5 * 60_000;
const MAX_FILES = 1_000;

/** How a call is made. */
export interface CallOptions {
	/** Ends the call; a start only as long as it has not been sent. */
	signal?: AbortSignal;
	/** The clock's time until which the call may take, including the wait for its permit. */
	deadline?: number;
	/** Repeats the call twice at most: a read after a transient error, a command after a 429. */
	retry?: boolean;
}

/** How a call is made that the service counts, so that it needs a permit. */
export interface LimitedCallOptions extends CallOptions {
	/** Executions and triggers take turns, by this name. */
	execution: string;
	/** How long it may wait for its permit, in ms; default 5 minutes. */
	maxQueueMs?: number;
}

/** How a call is made that has its permit already. */
export interface PermittedCallOptions extends CallOptions {
	permit: Permit;
}

/** How a read is made. */
interface ReadOptions extends CallOptions {
	/** Waits for its permit; unset: the service doesn't count it. */
	acquire?: () => Promise<Permit>;
}

/**
 * One method per endpoint of dev/sandbox/openapi.yaml, and one request per call, unless `retry`
 * repeats it. If there is no usable success, a `ServiceError` is thrown that says what happened.
 * Its texts are redacted.
 */
export class ServiceClient {
	constructor(
		private readonly http: HttpClient,
		readonly account: Account,
	) {}

	/** Removes secrets from texts, and makes them safe to show. */
	get redactor(): Redactor {
		return this.http.connection.redactor;
	}

	/**
	 * Starts a job. `beforeSending` is called once the start has its permit, and nothing is sent if
	 * it throws. After it the request leaves: from then on it may start a job, and is not ended by a
	 * Stop, since its response contains the ID of a job that costs money.
	 *
	 * Throws what `beforeSending` throws, or a `ServiceError`: unless it `isDefinitelyNotProcessed`,
	 * a job may have been started.
	 */
	async startJob(
		{ path, body }: StartRequest,
		{ execution, signal, deadline }: LimitedCallOptions,
		beforeSending?: () => void | Promise<void>,
	): Promise<StartedJob> {
		this.redactor.addAddress((body as Partial<RunBrowserAgentRequest>).cdp_url);
		const acquire = async () => {
			const permit = await this.account.starts.acquire({ execution, signal, deadline });
			try {
				await beforeSending?.();
			} catch (error) {
				permit.cancel();
				rethrow(error);
			}
			return permit;
		};
		const response = await this.http.send({
			method: 'POST',
			url: this.toUrl(path),
			body: JSON.stringify(body),
			timeoutMs: START_TIMEOUT_MS,
			acquire,
		});
		const started = this.http.objectOf(response);
		const jobId = toId(started.job_id);
		this.redactor.addAddress(started.cdp_url, jobId);
		if (jobId === undefined) {
			const detail = toDetail(started, this.redactor) ?? 'it contains no valid job ID';
			throw new ServiceError({ kind: 'unreadable', statusCode: response.statusCode, detail });
		}
		this.account.recordStart(jobId);
		return {
			job_id: jobId,
			status: statusOf(started),
			live_url: textOf(started.live_url),
			history_url: textOf(started.history_url),
			cdp_url: textOf(started.cdp_url),
			body: started,
		};
	}

	/**
	 * The job as it stands; its `error` is redacted. Throws `notFound` for a job that the service
	 * doesn't know, which means nothing yet for seconds after its start (`Account.mayBeUnknownYet`),
	 * and `unreadable` for a job without a status.
	 */
	async getJob(jobId: string, options: LimitedCallOptions | PermittedCallOptions): Promise<Job> {
		const path = `/v1/get_job_status/${encodeURIComponent(jobId)}`;
		const acquire =
			'permit' in options ? async () => options.permit : this.queueFor(this.account.polls, options);
		return await this.read(path, { ...options, acquire }, (body) => {
			this.redactor.addAddress(body.cdp_url, jobId);
			const job = toJob(jobId, body);
			return { ...job, error: this.redactor.redactData(job.error) };
		});
	}

	/**
	 * Pauses a running job. The response is not documented: anything, or nothing, is a success,
	 * except `"status": "error"`, which is thrown as `rejected`.
	 */
	async pauseJob(jobId: string, options: CallOptions = {}): Promise<unknown> {
		return await this.command(`/v1/pause_job/${encodeURIComponent(jobId)}`, options);
	}

	/** Resumes a paused job. The response is judged like that of a pause. */
	async resumeJob(jobId: string, options: CallOptions = {}): Promise<unknown> {
		return await this.command(`/v1/resume_job/${encodeURIComponent(jobId)}`, options);
	}

	/**
	 * The files that a job has downloaded so far, with links that expire. The service doesn't count
	 * these calls. Throws a `UserError` for more than 1,000 files.
	 */
	async getJobFiles(jobId: string, options: CallOptions = {}): Promise<JobFileList> {
		const path = `/v1/get_job_files/${encodeURIComponent(jobId)}`;
		return await this.read(path, options, ({ files, file_count }) => {
			const listed = Array.isArray(files) ? files.filter(isObject) : [];
			if (listed.length <= MAX_FILES) {
				return { job_id: jobId, file_count: numberOf(file_count), files: listed.map(toJobFile) };
			}
			throw new UserError(`Job ${jobId} has more than ${MAX_FILES} files`, {
				description: "Get them in the service's web platform.",
				jobIds: [jobId],
			});
		});
	}

	/**
	 * The account's plan and balance, as the service has sent them; `toCredits` reads the number of
	 * credits.
	 */
	async getCreditBalance(options: LimitedCallOptions): Promise<IDataObject> {
		const read = { ...options, acquire: this.queueFor(this.account.balance, options) };
		return await this.read('/v1/get_credit_balance', read, (body) => body);
	}

	/**
	 * Asks without the key whether the service is there. Any response is returned, whatever its
	 * status; without one, `message` says why. Throws `aborted` only.
	 */
	async getHealth({ signal }: CallOptions = {}): Promise<Health> {
		try {
			const request = { method: 'GET' as const, url: this.toUrl('/v1/health'), signal };
			const response = await this.http.exchange({ ...request, isUnsigned: true });
			return { statusCode: response.statusCode, response: response.body };
		} catch (error) {
			if (!(error instanceof ServiceError) || error.kind === 'aborted') rethrow(error);
			return { message: error.message };
		}
	}

	/**
	 * Opens a link to a file, and returns what `read` makes of its stream. The link may be relative
	 * to the base URL, and lead elsewhere; the key goes to the base URL's origin only. Throws
	 * `invalidLink` for an address that must not be opened, `tooLarge` and `tooSlow` at the limits of
	 * `options`, and what `read` throws.
	 */
	async fetchFile<T>(
		link: string,
		read: ReadFile<T>,
		options: DownloadOptions = {},
	): Promise<Received<T>> {
		return await receive(this.http, link, read, options);
	}

	/**
	 * The text at an address that the user has entered. The key is never sent along, not even to the
	 * base URL's origin. Throws as `fetchFile` does.
	 */
	async readPage(url: string, options: DownloadOptions): Promise<string> {
		// The size is limited by what receives it.
		const read = async (stream: ByteStream) => await readText(stream);
		return (await receive(this.http, url, read, { ...options, isUnsigned: true })).result;
	}

	/** Sends a command once, or with `retry` up to three times. Returns the redacted response. */
	private async command(path: string, options: CallOptions): Promise<unknown> {
		const { signal, deadline } = options;
		const request = { method: 'POST' as const, url: this.toUrl(path), deadline, signal };
		const sendOnce = async () => {
			const { body } = await this.http.send(request);
			throwIfRefused(body, this.redactor);
			return this.redactor.redactData(body);
		};
		return await this.withRetries(sendOnce, options, COMMAND_POLICY);
	}

	/** Reads data once, or with `retry` up to three times; `parse` may reject it as well. */
	private async read<T>(
		path: string,
		options: ReadOptions,
		parse: (body: IDataObject) => T,
	): Promise<T> {
		const { signal, deadline, acquire } = options;
		const request = { url: this.toUrl(path), deadline, signal, acquire };
		const readOnce = async () =>
			parse(this.http.objectOf(await this.http.send({ method: 'GET', ...request })));
		return await this.withRetries(readOnce, options, READ_POLICY);
	}

	/** Does a task once or, with the option `retry`, again as the policy says. */
	private async withRetries<T>(
		task: () => Promise<T>,
		{ retry: isRepeated = false, signal }: CallOptions,
		policy: RetryPolicy,
	): Promise<T> {
		const { clock } = this.http.connection;
		return isRepeated ? await retry(task, { clock, policy, signal }) : await task();
	}

	/**
	 * Waits for a permit of the limiter. All tries of a call together wait no longer than it may.
	 */
	private queueFor(
		limiter: RateLimiter,
		{ execution, signal, deadline = Infinity, maxQueueMs = MAX_QUEUE_MS }: LimitedCallOptions,
	): () => Promise<Permit> {
		const latest = Math.min(deadline, this.http.connection.clock.now() + maxQueueMs);
		return async () => await limiter.acquire({ execution, signal, deadline: latest });
	}

	private toUrl(path: string): string {
		return this.http.connection.baseUrl + path;
	}
}

/**
 * The credits in a balance: infinite for an unlimited account. A number may be written as text;
 * undefined if the balance has none.
 */
export function toCredits({ unlimited, credit_balance }: IDataObject): number | undefined {
	if (unlimited === true) return Infinity;
	const isText = typeof credit_balance === 'string' && credit_balance.trim() !== '';
	return numberOf(isText ? Number(credit_balance) : credit_balance);
}

function toJob(jobId: string, body: IDataObject): Job {
	const status = statusOf(body);
	if (status === undefined) {
		throw new ServiceError({ kind: 'unreadable', detail: 'it contains no status' });
	}
	return {
		job_id: jobId,
		status,
		output: body.output ?? undefined,
		error: body.error ?? undefined,
		credits_used: numberOf(body.credits_used),
		live_url: textOf(body.live_url),
		history_url: textOf(body.history_url),
		cdp_url: textOf(body.cdp_url),
		created_at: textOf(body.created_at),
		updated_at: textOf(body.updated_at),
		body,
	};
}

// The service's document has all statuses in lower case, and `canceled` in an example only.
function statusOf(body: IDataObject): string | undefined {
	const status = textOf(body.status)?.toLowerCase();
	return status === 'cancelled' ? 'canceled' : status;
}

function toJobFile(file: IDataObject): JobFile {
	return {
		filename: textOf(file.filename),
		download_url: textOf(file.download_url),
		expires_in: numberOf(file.expires_in),
	};
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
	return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
