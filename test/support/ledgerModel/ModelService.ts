import type { IDataObject, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { Readable } from 'node:stream';

import { applyResponseFault, runsOperation } from '../../../dev/sandbox/api/applyResponseFault';
import { matchEndpoint } from '../../../dev/sandbox/api/matchEndpoint';
import { operations } from '../../../dev/sandbox/operations';
import { contentOf, type Reply } from '../../../dev/sandbox/reply';
import type { Account } from '../../../dev/sandbox/state/accounts';
import type { Job } from '../../../dev/sandbox/state/Job';
import { SandboxState } from '../../../dev/sandbox/state/SandboxState';
import type { Fault, JobScript } from '../../../dev/sandbox/types';
import type { Clock } from '../../../nodes/async/clock';

export type Endpoint = 'startAgent' | 'getJob' | 'pauseJob' | 'resumeJob';

/** How the service replies, and how late. Without a fault, the reply is the sandbox's own. */
export interface ScriptedReply {
	afterMs: number;
	fault?: Omit<Fault, 'endpoint'> | { kind: 'refuse' };
}

/** The execution that a request belongs to. `owner` is its process. */
export interface Caller {
	owner: { isDead: boolean };
}

/** A request that a node or, without a caller, the user in the web platform has sent. */
export interface ServiceRequest {
	endpoint: Endpoint;
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
	outcome?: 'done' | 'nothing' | 'unclear';
	answeredAt?: number;
}

interface Target {
	endpoint: Endpoint;
	id: string;
}

interface HttpResponse {
	statusCode: number;
	headers: Record<string, string>;
	body: Readable;
}

const KEY = 'sandbox-pro-key';
const AT_ONCE: ScriptedReply = { afterMs: 20 };
const FOREVER_MS = 24 * 3_600_000;
// Longer than all waits.
const DEFAULT_JOB_SECONDS = 3_600;

/** The sandbox's jobs without a network: scripted replies, and a record of what was sent. */
export class ModelService {
	readonly baseUrl = 'https://api.example.com';

	readonly requests: ServiceRequest[] = [];

	private readonly state: SandboxState;

	private readonly account: Account;

	private readonly replies = new Map<Endpoint, ScriptedReply[]>();

	constructor(private readonly clock: Clock) {
		this.state = new SandboxState({
			realNow: () => clock.now(),
			defaultJobSeconds: DEFAULT_JOB_SECONDS,
		});
		this.account = this.state.accounts.get(KEY) as Account;
	}

	get jobs(): Job[] {
		return [...this.state.jobs.values()];
	}

	/** The next request to this endpoint without a reply yet gets this one. */
	script(endpoint: Endpoint, reply: ScriptedReply): void {
		this.replies.set(endpoint, [...(this.replies.get(endpoint) ?? []), reply]);
	}

	/** The next job without a script yet gets this one. */
	scriptJob(script: JobScript): void {
		this.state.scripts.add([script]);
	}

	statusOf(job: Job): string {
		return job.status(this.state.runDueEvents());
	}

	/** What a user does in the web platform. */
	async byUser(endpoint: Endpoint, id: string, body?: IDataObject): Promise<Job> {
		const request = this.record(endpoint, id, { task: body?.directive as string });
		await this.process(request, id, body);
		return request.job as Job;
	}

	/** A user takes over the browser of a job in the web platform, and hands it back by a resume. */
	takeOver(job: Job): void {
		job.takeOver(this.state.runDueEvents());
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

	private record(endpoint: Endpoint, id: string, facts: Partial<ServiceRequest>): ServiceRequest {
		const request = { ...facts, endpoint, job: this.state.jobs.get(id), sentAt: this.clock.now() };
		this.requests.push(request);
		return request;
	}

	private async receive(options: IHttpRequestOptions, caller: Caller): Promise<HttpResponse> {
		const { method = 'GET', url, body: text = '{}' } = options;
		const signal = options.abortSignal as AbortSignal;
		if (caller.owner.isDead) return await never();
		if (signal.aborted) throw networkError('ERR_CANCELED');
		const { endpoint, id } = matchEndpoint(method, new URL(url).pathname) as Target;
		const body = JSON.parse(String(text)) as IDataObject;
		const request = this.record(endpoint, id, { caller, task: body.directive as string });
		const scripted = this.replies.get(endpoint)?.shift() ?? AT_ONCE;
		const reply = isRun(scripted, endpoint) ? await this.process(request, id, body) : undefined;
		let outcome: ServiceRequest['outcome'] = 'unclear';
		try {
			const response = await this.respond({ ...scripted, endpoint }, reply, signal);
			outcome = outcomeOf(response, scripted, endpoint);
			return response;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') outcome = 'nothing';
			throw error as Error;
		} finally {
			if (caller.owner.isDead) await never();
			request.outcome = outcome;
			request.answeredAt = this.clock.now();
		}
	}

	private async process(request: ServiceRequest, id: string, body: unknown): Promise<Reply> {
		const { state, account } = this;
		const now = state.runDueEvents();
		const urls = { url: this.baseUrl, filesUrl: this.baseUrl };
		const reply = await operations[request.endpoint]({ state, account, id, body, now, ...urls });
		request.isProcessed = reply.status === 200;
		request.job ??= state.jobs.get(reply.jobId ?? '');
		request.status = request.job?.status(now);
		return reply;
	}

	private async respond(
		{ afterMs, fault, endpoint }: ScriptedReply & { endpoint: Endpoint },
		reply: Reply | undefined,
		signal: AbortSignal,
	): Promise<HttpResponse> {
		await this.clock.sleep(fault?.kind === 'hang' ? FOREVER_MS : afterMs, signal);
		if (signal.aborted) throw networkError('ERR_CANCELED');
		if (fault?.kind === 'refuse') throw networkError('ECONNREFUSED', 'connect');
		const sent = fault ? applyResponseFault({ ...fault, endpoint } as Fault, reply) : { reply };
		if (sent === undefined || sent === 'reset') throw networkError('ECONNRESET');
		const { status: statusCode, headers = {} } = sent.reply as Reply;
		const text = Buffer.concat([...(contentOf(sent.reply as Reply)?.chunks() ?? [])]);
		return {
			statusCode,
			headers,
			body: Readable.from(fault?.kind === 'truncate' ? cutOff(text) : [text]),
		};
	}
}

function isRun({ fault }: ScriptedReply, endpoint: Endpoint): boolean {
	if (fault === undefined) return true;
	return fault.kind !== 'refuse' && runsOperation({ ...fault, endpoint } as Fault, endpoint);
}

function outcomeOf(
	{ statusCode }: HttpResponse,
	{ fault }: ScriptedReply,
	endpoint: Endpoint,
): ServiceRequest['outcome'] {
	if (statusCode >= 500) return 'unclear';
	if (statusCode >= 300) return 'nothing';
	// The response to a command is not documented: any body of a success will do.
	const isCommand = endpoint === 'pauseJob' || endpoint === 'resumeJob';
	if (isCommand && fault?.kind === 'body' && isRefusal(fault.body)) return 'unclear';
	const isReadable = fault?.kind !== 'truncate' && (isCommand || fault?.kind !== 'body');
	return isReadable ? 'done' : 'unclear';
}

function isRefusal(body: unknown): boolean {
	return (body as { status?: unknown } | undefined)?.status === 'error';
}

async function* cutOff(text: Buffer) {
	yield text.subarray(0, text.length / 2);
	await Promise.resolve();
	throw networkError('ECONNRESET');
}

async function never(): Promise<never> {
	return await new Promise(() => {});
}

function networkError(code: string, syscall?: string): Error {
	return Object.assign(new Error(code), { code, syscall });
}
