import type { IncomingMessage } from 'node:http';

import type { ScaledClock } from './ScaledClock';
import type { EndpointName, LoggedRequest, RequestFilter } from '../types';

/** A request as it is kept: what takes time to read is left as it came until someone asks. */
export interface LogEntry {
	id: number;
	realMs: number;
	sandboxMs: number;
	method: string;
	path: string;
	endpoint: EndpointName | 'unknown';
	jobId: string | undefined;
	rawHeaders: string[];
	rawBody: string | undefined;
	answered: LoggedRequest['answered'];
}

/** The last requests that arrived. A ring: the newest takes the place of the oldest. */
export class RequestLog {
	private readonly ring: LogEntry[] = [];
	private count = 0;

	constructor(private readonly capacity = 200_000) {}

	add(
		request: IncomingMessage,
		endpoint: LogEntry['endpoint'],
		jobId: string | undefined,
		clock: ScaledClock,
	): LogEntry {
		const entry: LogEntry = {
			id: this.count + 1,
			realMs: clock.real(),
			sandboxMs: clock.now(),
			method: request.method ?? '',
			path: request.url ?? '',
			endpoint,
			jobId,
			rawHeaders: request.rawHeaders,
			rawBody: undefined,
			answered: 'pending',
		};
		this.ring[this.count % this.capacity] = entry;
		this.count++;
		return entry;
	}

	read({ endpoint, jobId, since = 0 }: RequestFilter): LoggedRequest[] {
		const found: LoggedRequest[] = [];
		const first = Math.max(since, this.count - this.capacity, 0);
		for (let index = first; index < this.count; index++) {
			const entry = this.ring[index % this.capacity];
			if (!entry) continue;
			if (endpoint !== undefined && entry.endpoint !== endpoint) continue;
			if (jobId !== undefined && entry.jobId !== jobId) continue;
			found.push(toLoggedRequest(entry));
		}
		return found;
	}
}

function toLoggedRequest({ rawHeaders, rawBody, ...entry }: LogEntry): LoggedRequest {
	return { ...entry, headers: readHeaders(rawHeaders), body: readBody(rawBody) };
}

function readHeaders(raw: string[]): Record<string, string> {
	const headers: Record<string, string> = {};
	for (let index = 0; index < raw.length; index += 2) {
		const name = raw[index]?.toLowerCase() ?? '';
		const value = raw[index + 1] ?? '';
		headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
	}
	return headers;
}

function readBody(raw: string | undefined): unknown {
	if (raw === undefined || raw === '') return undefined;
	try {
		return JSON.parse(raw);
	} catch {
		return raw;
	}
}
