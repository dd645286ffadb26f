import type { IDataObject } from 'n8n-workflow';

import { asThrown, ServiceError } from '../errors/ServiceError';
import type { Clock } from '../async/clock';
import type { AccountBudget } from './Account';
import { noteStart } from './recentStarts';
import { openFile, type DownloadOptions, type FileStream, type OpenFile } from './download';
import type { RateLimiter } from './RateLimiter';
import { retryRead } from './retryRead';
import {
	isObject,
	objectOf,
	request,
	sendOnce,
	type HttpAnswer,
	type HttpRequest,
	type Send,
} from './HttpClient';
import type { Secrets } from './redact';
import type {
	CallOptions,
	Health,
	Job,
	JobFile,
	RunBrowserAgentRequest,
	StartedJob,
} from './types';

// A start may have to wait for a browser; giving up on it early only makes it unclear.
const START_TIMEOUT_MS = 120_000;
const TIMEOUT_MS = 30_000;
const LONGEST_QUEUE_MS = 5 * 60_000;

/** How a client reaches the service. */
export interface Connection {
	/** As `toBaseUrl` returns it. */
	baseUrl: string;
	/** Sends with the key. */
	sendSigned: Send;
	/** Sends without it. */
	sendOpen: Send;
	budget: AccountBudget;
	secrets: Secrets;
	clock: Clock;
}

/** A file and where it stands in its job's list: names need not be unique. */
export interface ListedFile {
	jobId: string;
	file: JobFile;
	position: number;
}

/**
 * The service, one method per endpoint (service-interface.md). Every method sends one request, or,
 * of those that read, up to three when it may repeat, in its turn of the account's rate budget, and
 * throws a `ServiceError` when it does not succeed.
 */
export class ServiceClient {
	constructor(private readonly connection: Connection) {}

	/** Texts from the service, fit to be shown. */
	clean(text: string): string {
		return this.connection.secrets.clean(text);
	}

	/** The status calls this account has room for. */
	get statusBudget() {
		return this.connection.budget.status;
	}

	async startAgent(body: RunBrowserAgentRequest, options: CallOptions = {}): Promise<StartedJob> {
		this.connection.secrets.addAddress(body.cdp_url);
		return await this.start('/v1/run_browser_agent', { ...body }, options);
	}

	/** Without a payload the body is `{}`, as for a workflow without input parameters. */
	async runWorkflow(
		workflowId: string,
		payload: string | undefined,
		options: CallOptions = {},
	): Promise<StartedJob> {
		const path = `/workflows/run-with-payload/${encodeURIComponent(workflowId)}`;
		return await this.start(path, payload === undefined ? {} : { payload }, options);
	}

	getJob(jobId: string, options: CallOptions = {}): Promise<Job> {
		return this.read(
			`/v1/get_job_status/${encodeURIComponent(jobId)}`,
			(body) => this.toJob(jobId, body),
			options,
			this.connection.budget.status,
		);
	}

	/** Its answer is not documented: an empty object stands for none. */
	async pauseJob(jobId: string, options: CallOptions = {}): Promise<unknown> {
		const path = `/v1/pause_job/${encodeURIComponent(jobId)}`;
		return (await this.send('POST', path, options)).body;
	}

	async resumeJob(jobId: string, options: CallOptions = {}): Promise<unknown> {
		const path = `/v1/resume_job/${encodeURIComponent(jobId)}`;
		return (await this.send('POST', path, options)).body;
	}

	async getJobFiles(jobId: string, options: CallOptions = {}): Promise<JobFile[]> {
		const path = `/v1/get_job_files/${encodeURIComponent(jobId)}`;
		return await this.read(path, toJobFiles, options);
	}

	/**
	 * Fetches a file of a job, and returns what `store` made of its stream. A fault on the way starts
	 * it again, three times in all; an expired link is asked for again, once.
	 * Throws what `store` throws, and a `ServiceError` when the file is not to be had.
	 */
	async downloadFile<Stored>(
		{ jobId, file, position }: ListedFile,
		store: (stream: FileStream, mimeType?: string) => Promise<Stored>,
		options: DownloadOptions = {},
	): Promise<{ stored: Stored; receivedBytes: number }> {
		let link = file.download_url;
		let state: 'listed' | 'expired' | 'listedAgain' = 'listed';

		const fetchIt = async (): Promise<{ stored: Stored; receivedBytes: number }> => {
			if (state === 'expired') {
				link = (await this.listAgain({ jobId, file, position }, options)) ?? link;
				state = 'listedAgain';
			}
			if (link === undefined) throw new ServiceError({ kind: 'invalidLink', detail: 'it has no link' });
			try {
				return await storeFile(await openFile(this.connection, link, options), store);
			} catch (error) {
				if (state !== 'listed' || !isExpiredLink(error)) throw asThrown(error);
				state = 'expired';
				return await fetchIt();
			}
		};
		return await retryRead(fetchIt, options, this.connection.clock);
	}

	/**
	 * The text at an address that is not the service's: asked for without the key, wherever it is.
	 * Throws a `ServiceError`, also when there is more than `maxBytes` of it.
	 */
	async getText(url: string, options: DownloadOptions): Promise<string> {
		const { sendOpen } = this.connection;
		const page = await openFile({ ...this.connection, sendSigned: sendOpen }, url, options);
		const { stored } = await storeFile(page, async (stream) => {
			const chunks: Buffer[] = [];
			for await (const chunk of stream) chunks.push(chunk as Buffer);
			return Buffer.concat(chunks).toString('utf8');
		});
		return stored;
	}

	async getCreditBalance(options: CallOptions = {}): Promise<IDataObject> {
		const path = '/v1/get_credit_balance';
		return await this.read(path, (body) => body, options, this.connection.budget.balance);
	}

	/** Asks without the key. Any answer is one; throws only `stopped`. */
	async getHealth(options: CallOptions = {}): Promise<Health> {
		const { baseUrl, sendOpen, secrets } = this.connection;
		try {
			const answer = await sendOnce(
				sendOpen,
				{ method: 'GET', url: `${baseUrl}/v1/health`, timeoutMs: TIMEOUT_MS, ...signalOf(options) },
				secrets,
			);
			return { statusCode: answer.statusCode, response: answer.body };
		} catch (error) {
			if (!(error instanceof ServiceError) || error.kind === 'stopped') throw asThrown(error);
			return { message: error.message };
		}
	}

	// In its turn, where the service counts such calls. A Stop may not reach a worker in queue mode, so
	// standing in line has an end.
	private read<Answer>(
		path: string,
		toAnswer: (body: IDataObject) => Answer,
		options: CallOptions,
		budget?: RateLimiter,
	): Promise<Answer> {
		const { clock } = this.connection;
		const latest = clock.now() + LONGEST_QUEUE_MS;
		const limited = options.deadline === undefined ? { ...options, deadline: latest } : options;
		const send = () => this.get(path, toAnswer, options);
		const ask = () => budget?.run(send, limited) ?? send();
		return options.repeat === true ? retryRead(ask, options, clock) : ask();
	}

	private async get<Answer>(
		path: string,
		toAnswer: (body: IDataObject) => Answer,
		options: CallOptions,
	): Promise<Answer> {
		const answer = await this.send('GET', path, options);
		return toAnswer(objectOf(answer, this.connection.secrets));
	}

	private async listAgain(
		{ jobId, file, position }: ListedFile,
		{ signal }: DownloadOptions,
	): Promise<string | undefined> {
		const files = await this.getJobFiles(jobId, { signal });
		const namesakes = files.filter(({ filename }) => filename === file.filename);
		const same = namesakes.length === 1 ? namesakes[0] : files[position];
		return same?.filename === file.filename ? same?.download_url : undefined;
	}

	// Not to be ended by a Stop: its answer holds the ID of a job that costs money.
	private async start(path: string, body: object, options: CallOptions): Promise<StartedJob> {
		const answer = await this.connection.budget.start.run(
			async () =>
				await this.send(
					'POST',
					path,
					{},
					{ body: JSON.stringify(body), timeoutMs: START_TIMEOUT_MS },
				),
			options,
		);
		const started = objectOf(answer, this.connection.secrets);
		const jobId = textOf(started.job_id);
		this.connection.secrets.addAddress(started.cdp_url, jobId);
		if (jobId === undefined) {
			throw new ServiceError({ kind: 'unreadable', detail: 'there is no job ID in it' });
		}
		noteStart(jobId, this.connection.clock.now());
		return { job_id: jobId, status: textOf(started.status), body: started };
	}

	private async send(
		method: 'GET' | 'POST',
		path: string,
		options: CallOptions,
		more: Partial<HttpRequest> = {},
	): Promise<HttpAnswer> {
		const { baseUrl, sendSigned, secrets, clock } = this.connection;
		return await request(
			sendSigned,
			{ method, url: baseUrl + path, timeoutMs: TIMEOUT_MS, ...signalOf(options), ...more },
			secrets,
			() => clock.now(),
		);
	}

	private toJob(jobId: string, body: IDataObject): Job {
		const { secrets } = this.connection;
		secrets.addAddress(body.cdp_url, jobId);
		const status = textOf(body.status);
		if (status === undefined) {
			throw new ServiceError({ kind: 'unreadable', detail: 'there is no status in it' });
		}
		return {
			job_id: jobId,
			status: toStatus(status),
			output: body.output ?? undefined,
			error: body.error ?? undefined,
			credits_used: numberOf(body.credits_used),
			live_url: textOf(body.live_url),
			history_url: textOf(body.history_url),
			created_at: textOf(body.created_at),
			updated_at: textOf(body.updated_at),
			body,
		};
	}
}

async function storeFile<Stored>(
	file: OpenFile,
	store: (stream: FileStream, mimeType?: string) => Promise<Stored>,
): Promise<{ stored: Stored; receivedBytes: number }> {
	try {
		const stored = await store(file.stream, file.mimeType);
		return { stored, receivedBytes: file.receivedBytes() };
	} catch (error) {
		throw asThrown(file.fault() ?? error);
	} finally {
		file.close();
	}
}

function isExpiredLink(error: unknown): boolean {
	return error instanceof ServiceError && [403, 404, 410].includes(error.facts.statusCode ?? 0);
}

function toJobFiles({ files }: IDataObject): JobFile[] {
	return Array.isArray(files) ? files.filter(isObject).map(toJobFile) : [];
}

function toJobFile(file: IDataObject): JobFile {
	return {
		filename: textOf(file.filename),
		download_url: textOf(file.download_url),
		expires_in: numberOf(file.expires_in),
	};
}

function signalOf({ signal }: CallOptions): Pick<HttpRequest, 'signal'> {
	return signal === undefined ? {} : { signal };
}

// `canceled` comes from an example of the service's only, and may be spelled in either way.
function toStatus(status: string): string {
	return status === 'cancelled' ? 'canceled' : status;
}

function textOf(value: unknown): string | undefined {
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
	return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
