import { Readable } from 'node:stream';

import { admitRequest, receiveRequest, runOperation } from '../../api/answerRequest';
import { contentOf, headersOf, type Reply, takeBytes } from '../../api/reply';
import { SandboxBackend } from './backend';
import type { Answer, Truncation } from './faults/applyFault';
import type { FollowedRequest } from './faults/FollowedRequest';
import type { LogEntry } from './state/RequestLog';
import { SandboxState } from './state/SandboxState';
import type { SandboxOptions } from './types';

const FOREVER_SECONDS = 24 * 3600;

/** The options of n8n's HTTP helpers that are used here. */
interface HelperRequest {
	method?: string;
	url: string;
	headers?: Record<string, unknown>;
	body?: unknown;
	abortSignal?: unknown;
}

/** What the helpers return for `returnFullResponse` and a stream. */
export interface HelperResponse {
	statusCode: number;
	/** With names in lower case. */
	headers: Record<string, string>;
	body: Readable;
}

/** A request that has arrived. */
interface Exchange {
	logEntry: LogEntry;
	/** The operation's own reply, whatever is sent of it; `undefined` if it did not run. */
	processed: Reply | undefined;
	/** Rejects as n8n's helpers do if there is no response. */
	response: Promise<HelperResponse>;
}

/**
 * The sandbox without a network, for thousands of simulated hours. It stands in for n8n's HTTP
 * helpers, has no job files, and does not check requests against the OpenAPI document.
 */
export class InProcessSandbox {
	readonly url = 'https://sandbox.invalid';
	readonly state: SandboxState;
	private readonly backend: SandboxBackend;

	/** Each response takes `latencyMs` of sandbox time; default 0. */
	constructor(
		options: SandboxOptions,
		private readonly latencyMs: () => number = () => 0,
	) {
		this.state = new SandboxState(options);
		this.backend = new SandboxBackend(this.state);
	}

	/**
	 * Receives a request with the key in its headers. Throws if it is aborted or for another origin.
	 */
	receive({ method = 'GET', url, headers = {}, body, abortSignal }: HelperRequest): Exchange {
		const signal = abortSignal as AbortSignal | undefined;
		if (signal?.aborted === true) throw networkError('ERR_CANCELED');
		if (!url.startsWith(`${this.url}/`)) throw networkError('ENOTFOUND');
		const head = { method, url: url.slice(this.url.length), headers: inLowerCase(headers) };
		const context = receiveRequest(this.backend, head);
		const hook = context.hook as FollowedRequest;

		const admission = admitRequest(context, typeof body === 'string' ? body : undefined);
		const origins = { url: this.url, filesUrl: this.url };
		const processed = admission.kind === 'admitted' ? runOperation(context, origins) : undefined;
		const reply = admission.kind === 'refused' ? admission.reply : processed;
		const response = this.send(hook.logEntry, hook.toAnswer(reply), signal);
		return { logEntry: hook.logEntry, processed, response };
	}

	private async send(
		logEntry: LogEntry,
		answer: Answer,
		signal?: AbortSignal,
	): Promise<HelperResponse> {
		const delaySeconds = this.latencyMs() / 1000 + (logEntry.fault?.delaySeconds ?? 0);
		await this.state.clock.sleep(delaySeconds, signal);
		if (answer.kind === 'silence') await this.untilAborted(signal);
		if (signal?.aborted === true) throw networkError('ERR_CANCELED');
		if (answer.kind === 'refused') throw networkError('ECONNREFUSED', 'connect');
		if (answer.kind === 'raw') throw new Error('Raw bytes are only sent over HTTP');
		if (answer.kind !== 'reply') throw networkError('ECONNRESET');

		const { reply, truncation } = answer;
		logEntry.answered = reply.status;
		return {
			statusCode: reply.status,
			headers: inLowerCase(headersOf(reply)),
			body: Readable.from(this.bodyOf(reply, truncation, signal)),
		};
	}

	private async *bodyOf(reply: Reply, truncation?: Truncation, signal?: AbortSignal) {
		const chunks = contentOf(reply)?.chunks() ?? [];
		if (!truncation) return yield* chunks;
		yield* takeBytes(chunks, truncation.afterBytes);
		if (!truncation.breakConnection) await this.untilAborted(signal);
		throw networkError('ECONNRESET');
	}

	// A sleep, so that the clock knows that the request waits for time to pass.
	private async untilAborted(signal?: AbortSignal): Promise<void> {
		await this.state.clock.sleep(FOREVER_SECONDS, signal);
	}
}

function inLowerCase(headers: Record<string, unknown>): Record<string, string> {
	const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
	return Object.fromEntries(all) as Record<string, string>;
}

function networkError(code: string, syscall?: string): Error {
	return Object.assign(new Error(code), { code, syscall });
}
