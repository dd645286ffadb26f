import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { Readable } from 'node:stream';

import { currentClock } from './testRuntime';

/** A response that comes from the test instead of the network. */
export interface StubResponse {
	/** Default 200. */
	statusCode?: number;
	headers?: Record<string, string>;
	/** Sent as JSON. Default `{}`. */
	body?: unknown;
	/** How long it takes, in ms of the nodes' clock. Default 0. */
	afterMs?: number;
	/** There is no response but this error of Node.js. */
	errorCode?: string;
}

/** Responds to a request for this path. */
export type Respond = (path: string) => StubResponse;

type HttpHelpers = Pick<
	IExecuteFunctions['helpers'],
	'httpRequest' | 'httpRequestWithAuthentication'
>;

/** n8n's HTTP helpers on the clock of the test, so that a slow service takes no real time. */
export function stubNetwork(respond: Respond): HttpHelpers {
	const send = async ({ url, abortSignal }: IHttpRequestOptions) => {
		const response = respond(new URL(url).pathname);
		const { statusCode = 200, headers = {}, body = {}, afterMs = 0, errorCode } = response;
		await currentClock().sleep(afterMs, abortSignal as AbortSignal);
		const code = abortSignal?.aborted === true ? 'ERR_CANCELED' : errorCode;
		if (code !== undefined) throw Object.assign(new Error(code), { code });
		return { statusCode, headers, body: Readable.from([Buffer.from(JSON.stringify(body))]) };
	};
	return {
		httpRequest: send,
		httpRequestWithAuthentication: async (_credential, request) => await send(request),
	};
}

/** A service that shows jobs, without a network. */
export interface StubJobs {
	/** The responses to polls of single jobs, by job ID. */
	responses: Record<string, StubResponse>;
	/** The jobs that were polled, in this order. */
	polled: string[];
	respond: Respond;
}

/** A service whose jobs all have the same response, but for those that a test gives another one. */
export function stubJobs(response: StubResponse): StubJobs {
	const jobs: StubJobs = {
		responses: {},
		polled: [],
		respond(path) {
			const jobId = path.split('/').at(-1) ?? '';
			jobs.polled.push(jobId);
			return jobs.responses[jobId] ?? response;
		},
	};
	return jobs;
}

/** The response to a poll of a job in this status, after this many seconds. */
export function showsJob(status: string, seconds = 0): StubResponse {
	return { body: { status }, afterMs: seconds * 1_000 };
}

/** The IDs job_1, job_2, … */
export function jobIdsUpTo(count: number): string[] {
	return Array.from({ length: count }, (_, index) => `job_${index + 1}`);
}
