import type { IDataObject } from 'n8n-workflow';

import { untilAborted } from '../async/abortSignals';
import { rethrow } from '../async/rethrow';
import { retry } from '../async/retry';
import { NodeFailure } from '../errors/NodeFailure';
import { ServiceError } from '../errors/ServiceError';
import { toNodeFailure } from '../errors/toNodeFailure';
import { isObject } from '../isObject';
import type { Account } from './Account';
import { isWebPage, throwIfRejected, unreadableError } from './callError';
import { download, type DownloadOptions, type ReadFile, type Downloaded } from './download';
import type { HttpClient, HttpRequest } from './HttpClient';
import { readText, type ByteStream, type HttpResponse } from './httpResponse';
import type { RateLimiter, Turn } from './RateLimiter';
import type { Redactor } from './redact';
import { COMMAND_POLICY, READ_POLICY } from './retryPolicies';
import { toId } from './toId';
import type {
	Health,
	Job,
	JobFile,
	JobFileList,
	RunBrowserAgentRequest,
	StartRequest,
	StartedJob,
} from './types';

// A start may have to wait for a browser. Giving up early would only make its outcome unclear.
const START_TIMEOUT_MS = 5 * 60_000;
// In queue mode a Stop may not reach a worker, so the wait for a turn must be bounded.
const MAX_QUEUE_MS = 5 * 60_000;
// A status call that is rate limited must not close the account to all waits for an hour.
const MAX_READ_RETRY_AFTER_MS = 2 * 60_000;
const MAX_FILES = 1_000;
// The fields of the status response that say something about a job. `error` doesn't: a refused call
// may have one, too.
const JOB_FIELDS = [
	'job_id',
	'output',
	'directive',
	'live_url',
	'history_url',
	'cdp_url',
	'credits_used',
	'created_at',
	'updated_at',
];

/**
 * Options for calls. Those of `Turn` are for `getJob` and `getCreditBalance`, which the service
 * counts, so that they have to wait for their turn. `signal` aborts any call.
 */
export interface CallOptions extends Partial<Turn> {
	/**
	 * When the call should be over, in ms, from `Clock.elapsed()`. The wait for a turn then
	 * ends with `queueTimeout`, and 3 s later a request ends with `timeout`. This doesn't end the
	 * delay before a retry. Default: none.
	 */
	endBy?: number;
	/**
	 * Whether to try the call up to three times: a read after a transient error, a command after a
	 * 429, or if it has not reached the service. Default: false.
	 */
	retry?: boolean;
	/**
	 * How long the call may wait for its turns, in ms: all its tries together. Default: 5 minutes.
	 */
	maxQueueMs?: number;
	/** Prevents further tries, also one with a new key, but doesn't abort the current one. */
	triesSignal?: AbortSignal;
}

/**
 * Calls the endpoints of api/openapi.yaml (`startJob` covers both endpoints that start
 * jobs), and opens links (`fetchFile` and `readUrl`). A call sends one request, unless `retry`
 * repeats it, the key was replaced meanwhile (then it is repeated once), or a link redirects.
 * Without a usable 2xx response it throws a `ServiceError`, whose `detail` is redacted; the methods
 * say what else they throw. Only `getHealth` returns the response whatever its status.
 */
export class ServiceClient {
	constructor(
		private readonly http: HttpClient,
		readonly account: Account,
	) {}

	/** Redacts the API key and the CDP URLs of browsers that this client has seen. */
	get redactor(): Redactor {
		return this.http.connection.redactor;
	}

	/**
	 * Starts a job when it is its turn. Once the request has been sent, nothing aborts it, because
	 * its response, which may take five minutes, contains the ID of a job that costs money.
	 *
	 * Throws what `turn.beforeSending` throws, or a `ServiceError`: unless it `provesNothingWasDone`,
	 * a job may have been started. Repeats nothing, not even if `hasNewKey`.
	 */
	async startJob({ path, body }: StartRequest, turn: Turn): Promise<StartedJob> {
		this.redactor.addCdpUrl((body as Partial<RunBrowserAgentRequest>).cdp_url);
		const response = await this.account.starts.run(turn, async () => {
			return await this.http.send({
				method: 'POST',
				url: this.toUrl(path),
				body: JSON.stringify(body),
				timeoutMs: START_TIMEOUT_MS,
			});
		});
		const started = this.http.objectOf(response);
		const jobId = toId(started.job_id);
		this.redactor.addCdpUrl(started.cdp_url);
		if (jobId === undefined) throw unreadableError(response, this.redactor, 'no valid job ID');
		return {
			job_id: jobId,
			status: statusOf(started),
			live_url: asText(started.live_url),
			history_url: asText(started.history_url),
			cdp_url: asText(started.cdp_url),
			body: started,
		};
	}

	/**
	 * Reads a job; its `error` is redacted. Throws `notFound` for a job that the service doesn't
	 * know, which proves nothing the first time: one of its servers may lag behind. Throws
	 * `unreadable` for a job without a status, and `queueTimeout` if it has no turn in time.
	 */
	async getJob(jobId: string, options: CallOptions & Pick<Turn, 'group'>): Promise<Job> {
		const parse = (response: HttpResponse) => this.toJob(jobId, response);
		const path = toJobPath('get_job_status', jobId);
		return await this.call({ method: 'GET', path, limiter: this.account.polls }, parse, options);
	}

	/**
	 * Reads a job at once, for a caller that has its turn at `account.polls`. Repeats nothing, not
	 * even if `hasNewKey`. Otherwise as `getJob`.
	 */
	async getJobInTurn(
		jobId: string,
		{ endBy, signal }: Pick<CallOptions, 'endBy' | 'signal'>,
	): Promise<Job> {
		const url = this.toUrl(toJobPath('get_job_status', jobId));
		const maxRetryAfterMs = MAX_READ_RETRY_AFTER_MS;
		const request: HttpRequest = { method: 'GET', url, endBy, signal, maxRetryAfterMs };
		return this.toJob(jobId, await this.http.send(request));
	}

	/**
	 * Pauses a running job. Returns the redacted response, which is not documented: any 2xx response
	 * will do, with or without a body, except one with `"status": "error"`, which is thrown as
	 * `rejected`, and a web page, which is thrown as `unreadable`: something in front of the service
	 * has responded.
	 */
	async pauseJob(jobId: string, options: CallOptions = {}): Promise<unknown> {
		return await this.command('pause_job', jobId, options);
	}

	/** Resumes a paused job. Returns the redacted response, and throws, as `pauseJob` does. */
	async resumeJob(jobId: string, options: CallOptions = {}): Promise<unknown> {
		return await this.command('resume_job', jobId, options);
	}

	/**
	 * Lists the files that a job has downloaded so far, with links that expire. The service doesn't
	 * count these calls. Throws `rejected` or `unreadable` for a response that is no list of files,
	 * and a `NodeFailure` for more than 1,000 files.
	 */
	async getJobFiles(jobId: string, options: CallOptions = {}): Promise<JobFileList> {
		const parse = (response: HttpResponse) => {
			const { job_id, files, file_count } = this.http.objectOf(response);
			if (!Array.isArray(files)) {
				throwIfRejected(response, this.redactor);
				// A job without files may have no list, but then another field shows what this is.
				const isList = (files ?? null) === null && (job_id ?? file_count ?? null) !== null;
				if (!isList) throw unreadableError(response, this.redactor, 'no list of files');
			}
			const listed = Array.isArray(files) ? files.filter(isObject) : [];
			if (listed.length <= MAX_FILES) {
				return { job_id: jobId, files: listed.map(toJobFile) };
			}
			throw new NodeFailure(`Job ${jobId} has more than ${MAX_FILES} files`, {
				description: 'The node reads no more of them for a job.',
				jobIds: [jobId],
			});
		};
		const path = toJobPath('get_job_files', jobId);
		return await this.call({ method: 'GET', path }, parse, options);
	}

	/**
	 * Reads the account's plan and balance, and returns them as the service sends them, except that
	 * a `credit_balance` written as text becomes a number. Throws `rejected` for a response with
	 * `"status": "error"`, and `queueTimeout` if it has no turn in time.
	 */
	async getCreditBalance(options: CallOptions & Pick<Turn, 'group'>): Promise<IDataObject> {
		const path = '/v1/get_credit_balance';
		const parse = (response: HttpResponse) => {
			const balance = this.http.objectOf(response);
			throwIfRejected(response, this.redactor);
			return {
				...balance,
				credit_balance: asNumber(balance.credit_balance) ?? balance.credit_balance,
			};
		};
		return await this.call({ method: 'GET', path, limiter: this.account.balance }, parse, options);
	}

	/**
	 * Checks whether the service is up, without sending the key. Returns any response, whatever its
	 * status, or why there was none as `message`. Throws only `aborted`. Takes only `signal`.
	 */
	async getHealth({ signal }: CallOptions = {}): Promise<Health> {
		try {
			const request = { method: 'GET' as const, url: this.toUrl('/v1/health'), signal };
			const response = await this.http.exchange({ ...request, omitsKey: true });
			return { statusCode: response.statusCode, response: response.body };
		} catch (error) {
			if (!(error instanceof ServiceError) || error.kind === 'aborted') rethrow(error);
			return { message: toNodeFailure(error).message };
		}
	}

	/**
	 * Opens a link to a file, and returns what `read` makes of its stream. The link may be relative
	 * to the base URL, or lead elsewhere; the key goes to the base URL's origin only. Throws
	 * `invalidLink` for a URL that must not be opened, `tooLarge` when the limit of `options` is
	 * exceeded, `tooSlow` after a minute of silence, and whatever `read` throws.
	 */
	async fetchFile<T>(
		link: string,
		read: ReadFile<T>,
		options: DownloadOptions = {},
	): Promise<Downloaded<T>> {
		return await download(this.http, link, read, options);
	}

	/**
	 * Reads the text at a URL that the user entered. Never sends the key, not even to the base
	 * URL's origin. Throws what `fetchFile` throws.
	 */
	async readUrl(url: string, options: DownloadOptions): Promise<string> {
		// `download` limits the size.
		const read = async (stream: ByteStream) => await readText(stream);
		return (await download(this.http, url, read, { ...options, isFromUser: true })).value;
	}

	/** As `HttpClient.hasNewKey`: a call that failed with this error may succeed now. */
	async hasNewKey(error: unknown): Promise<boolean> {
		return await this.http.hasNewKey(error);
	}

	private toJob(jobId: string, response: HttpResponse): Job {
		const body = this.http.objectOf(response);
		this.redactor.addCdpUrl(body.cdp_url);
		const isAboutJob = JOB_FIELDS.some((name) => (body[name] ?? null) !== null);
		if (!isAboutJob) throwIfRejected(response, this.redactor);
		const status = statusOf(body);
		if (status === undefined) throw unreadableError(response, this.redactor, 'no status');

		const job = readJob(jobId, status, body);
		return { ...job, error: this.redactor.redactData(job.error) };
	}

	/** Sends a command for a job, and returns the redacted response. */
	private async command(name: string, jobId: string, options: CallOptions): Promise<unknown> {
		const parse = (response: HttpResponse) => {
			throwIfRejected(response, this.redactor);
			if (isWebPage(response.body)) throw unreadableError(response, this.redactor);
			return this.redactor.redactData(response.body);
		};
		const path = toJobPath(name, jobId);
		return await this.call({ method: 'POST', path }, parse, options);
	}

	/**
	 * Calls an endpoint once or, with the option `retry`, up to three times, and returns what `parse`
	 * makes of its response. If the service counts the call, waits for a turn at `limiter` each time:
	 * all tries together no longer than `maxQueueMs`.
	 */
	private async call<T>(
		{ method, path, limiter }: { method: 'GET' | 'POST'; path: string; limiter?: RateLimiter },
		parse: (response: HttpResponse) => T,
		options: CallOptions,
	): Promise<T> {
		const { clock } = this.http.connection;
		const { signal, triesSignal = signal, endBy, maxQueueMs = MAX_QUEUE_MS } = options;
		const giveUpAt = Math.min(endBy ?? Infinity, clock.elapsed() + maxQueueMs);
		const turn = { group: '', giveUpAt, ...options };
		const request: HttpRequest = { method, url: this.toUrl(path), endBy, signal };
		if (limiter !== undefined) request.maxRetryAfterMs = MAX_READ_RETRY_AFTER_MS;
		const send = async () => await this.http.send(request);
		const sendInTurn = async () => await (limiter === undefined ? send() : limiter.run(turn, send));
		const callOnce = async () => {
			const response = await sendInTurn().catch(async (error) => {
				if ((await untilAborted(this.hasNewKey(error), triesSignal)) !== true) rethrow(error);
				return await sendInTurn();
			});
			return parse(response);
		};
		if (options.retry !== true) return await callOnce();
		const policy = method === 'GET' ? READ_POLICY : COMMAND_POLICY;
		return await retry(callOnce, { clock, policy, signal: triesSignal });
	}

	private toUrl(path: string): string {
		return this.http.connection.baseUrl + path;
	}
}

function toJobPath(call: string, jobId: string): string {
	return `/v1/${call}/${encodeURIComponent(jobId)}`;
}

/**
 * Returns the number of credits in a balance that `getCreditBalance` returned. It is infinite for
 * an unlimited account, and undefined if the balance contains no number.
 */
export function toCredits({ unlimited, credit_balance }: IDataObject): number | undefined {
	return unlimited === true ? Infinity : asNumber(credit_balance);
}

function readJob(jobId: string, status: string, body: IDataObject): Job {
	return {
		job_id: jobId,
		status,
		output: body.output ?? undefined,
		error: body.error ?? undefined,
		credits_used: asNumber(body.credits_used),
		live_url: asText(body.live_url),
		history_url: asText(body.history_url),
		cdp_url: asText(body.cdp_url),
		created_at: asText(body.created_at),
		updated_at: asText(body.updated_at),
		body,
	};
}

// All documented statuses are in lower case. `canceled` is not a documented status, but an example
// in the service's documentation checks for it.
function statusOf(body: IDataObject): string | undefined {
	const status = asText(asText(body.status)?.trim().toLowerCase());
	return status === 'cancelled' ? 'canceled' : status;
}

function toJobFile(file: IDataObject): JobFile {
	return {
		filename: asText(file.filename),
		download_url: asText(file.download_url),
		expires_in: asNumber(file.expires_in),
	};
}

function asText(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a finite number, which may be written as text; undefined for anything else. */
function asNumber(value: unknown): number | undefined {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = isText ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
