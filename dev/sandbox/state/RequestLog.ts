import type { IncomingMessage } from 'node:http';

import type { EndpointName, LoggedRequest, RequestFilter } from '../types';
import type { ScaledClock } from './ScaledClock';

const CAPACITY = 200_000;

/** A logged request in its raw form. Headers and body are parsed when the log is read. */
export interface LogEntry extends Omit<LoggedRequest, 'headers' | 'body'> {
	rawHeaders: string[];
	rawBody: string | undefined;
}

/** The last requests, up to 200,000, so that a long-running sandbox does not run out of memory. */
export class RequestLog {
	/** A ring buffer. */
	private readonly entries: LogEntry[] = [];
	private count = 0;

	/** Adds a request that has just arrived. The caller completes the entry later. */
	add(
		request: IncomingMessage,
		endpoint: EndpointName | 'unknown',
		jobId: string | undefined,
		clock: ScaledClock,
	): LogEntry {
		const entry: LogEntry = {
			id: this.count + 1,
			realMs: clock.realNow(),
			sandboxMs: clock.now(),
			method: request.method ?? '',
			path: request.url ?? '',
			endpoint,
			jobId,
			rawHeaders: request.rawHeaders,
			rawBody: undefined,
			answered: 'pending',
		};
		this.entries[this.count % CAPACITY] = entry;
		this.count++;
		return entry;
	}

	/** Returns the matching requests, oldest first. */
	read({ endpoint, jobId, since = 0 }: RequestFilter): LoggedRequest[] {
		const found: LoggedRequest[] = [];
		const first = Math.max(since, this.count - CAPACITY, 0);
		for (let index = first; index < this.count; index++) {
			const entry = this.entries[index % CAPACITY];
			if (!entry) continue;
			if (endpoint !== undefined && entry.endpoint !== endpoint) continue;
			if (jobId !== undefined && entry.jobId !== jobId) continue;
			found.push(toLoggedRequest(entry));
		}
		return found;
	}
}

function toLoggedRequest({ rawHeaders, rawBody, ...entry }: LogEntry): LoggedRequest {
	return { ...entry, headers: toHeaders(rawHeaders), body: parseBody(rawBody) };
}

function toHeaders(rawHeaders: string[]): Record<string, string> {
	const headers: Record<string, string> = {};
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const name = rawHeaders[index]?.toLowerCase() ?? '';
		const value = rawHeaders[index + 1] ?? '';
		headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
	}
	return headers;
}

function parseBody(rawBody: string | undefined): unknown {
	if (rawBody === undefined || rawBody === '') return undefined;
	try {
		return JSON.parse(rawBody);
	} catch {
		return rawBody;
	}
}
