import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Account } from './Account';
import type { EndpointName } from './endpoints';
import type { FileLinks } from './FileLinks';
import type { RateLimiters } from './RateLimiters';
import type { OwnAddress } from './rejectForeignRequests';
import type { Reply } from './reply';

/**
 * A service behind the API: it has accounts, jobs and workflows. The API checks and counts the
 * requests, asks the backend, and writes the responses. All of this is synchronous, so that a
 * simulated clock can stand still meanwhile: a start only registers a job, which does slow work
 * later. Throw a `Refusal` for what is to be refused. Times are in ms since 1970.
 */
export interface Backend {
	readonly address: OwnAddress;
	readonly rateLimiters: RateLimiters;
	readonly fileLinks: FileLinks;

	/** Returns the time, after everything that was due by then has happened. */
	now(): number;

	/** Returns the account with this API key. */
	findAccount(key: string): Account | undefined;

	/** Finds a job of any account. */
	findJob(id: string): Job | undefined;

	/** Throws a `Refusal` if the workflow can't be read. */
	findWorkflow(id: string): Workflow | undefined;

	/**
	 * Starts a job for an account that has credits left. Throws a `Refusal` if it does not start
	 * one. The start is answered as soon as this returns: a job that must survive is stored by then.
	 */
	startJob(start: JobStart, now: number): Job;

	/** Follows a request that has just arrived; for a simulation. */
	followRequest?(request: ArrivedRequest): RequestHook;
}

/** What is to be done, for whom, and in which browser. */
export interface JobStart {
	account: Account;
	kind: 'agent' | 'workflow';
	/** For a workflow, its task. */
	directive: string;
	initialUrl?: string;
	/** The model that was asked for; `undefined`: the service's default. */
	model?: string;
	/** The client's own browser; when absent, the service provisions one. */
	ownBrowser?: { cdpUrl: string; liveUrl?: string };
	/** With the document's defaults filled in. Does not apply to the client's own browser. */
	browserConfig: BrowserConfig;
	workflowId?: string;
	/** The text that a workflow was called with; empty if there was none. */
	payload?: string;
	/** The values of the workflow's inputs that the payload has, by name. */
	inputs?: Record<string, string>;
	/** The body of the request, without default values. */
	request: unknown;
}

/** The document's `BrowserConfig`. */
export interface BrowserConfig {
	/** Viewport in pixels, as is `height`. */
	width: number;
	height: number;
	/** `false`: no proxy; `true`: one in the US; otherwise the code of a country. */
	residentialIp: boolean | string;
	maxDurationMinutes: number;
	idleTimeoutMinutes: number;
	keepBrowserOpen: boolean;
	useUserBrowserProfile: boolean;
}

/** A job as the API shows it. `now` is the time of the request. */
export interface Job {
	readonly id: string;
	readonly account: Account;
	readonly directive: string;
	readonly creditsUsed: number;
	readonly startedAt: number;
	readonly updatedAt: number;

	status(now: number): string;

	/** Returns the status to a client that polls. */
	poll(now: number): string;

	/** Returns false and does nothing unless the job's status allows it. */
	pause(now: number): boolean;

	/** Returns false and does nothing unless the job's status allows it. */
	resume(now: number): boolean;

	/** Any JSON value; `null` until the job has finished. */
	output(now: number): unknown;

	/** Why the job failed, in a sentence; otherwise `null`. */
	error(now: number): string | null;

	/** The files that are listed now, always in the same order. */
	files(now: number): JobFile[];

	/** `url` is the service's address as the request has it, without a trailing slash. */
	links(url: string): JobLinks;
}

/** The document's fields for people, and for clients of the DevTools Protocol. */
export interface JobLinks {
	live_url: string | null;
	cdp_url: string | null;
	history_url: string;
}

/** A file that a job has downloaded. */
export interface JobFile {
	/** As it is listed. */
	filename: string;
	/** Lifetime of a link. Default: an hour. */
	expiresInSeconds?: number;
	/** Listed instead of a link to the service. */
	downloadUrl?: string;

	/** Returns the response to a request for the file. */
	download(): Reply;
}

/** A saved workflow. */
export interface Workflow {
	/** Throws a `Refusal` if the payload does not fit. */
	toTask(payload: string): WorkflowTask;
}

/** What a run of a workflow is to do. */
type WorkflowTask = Pick<JobStart, 'directive' | 'initialUrl' | 'inputs'>;

/**
 * Thrown by a backend that does not do what it was asked for. The message is a sentence for the
 * user.
 */
export class Refusal extends Error {
	constructor(
		readonly status: 400 | 402 | 404 | 429,
		message: string,
		/** After how long the same request may be granted. `undefined`: nobody knows. */
		readonly retryAfterSeconds?: number,
	) {
		super(message);
	}
}

/** The head of a request, with header names in lower case. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** A request, before it is known whether it is allowed. */
export interface ArrivedRequest {
	head: RequestHead;
	/** `unknown` for a path or method that the document lacks. */
	endpoint: EndpointName | 'unknown';
	/** The job in the path. */
	jobId?: string;
}

/** What a simulation does to a request, step by step. */
export interface RequestHook {
	/** The text of the body has arrived. */
	receiveBody(text: string): void;

	/** Whether the operation runs. Asked once, when all checks but that of the body have passed. */
	letsOperationRun(): boolean;

	/** Sends the reply, or what takes its place; `undefined` if the operation did not run. */
	send(response: ServerResponse, reply: Reply | undefined): Promise<void>;
}
