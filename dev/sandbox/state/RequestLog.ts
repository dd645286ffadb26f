import type { RequestHead } from '../../../api/backend';
import type { EndpointName, LoggedRequest, RequestFilter } from '../types';

const CAPACITY = 200_000;

/** A logged request; its body is parsed when the log is read. */
export interface LogEntry extends Omit<LoggedRequest, 'body'> {
	rawBody?: string;
}

/** The last requests, up to 200,000, so that a long-running sandbox does not run out of memory. */
export class RequestLog {
	private readonly entries: LogEntry[] = [];
	private lastId = 0;

	/** The caller completes the entry later. */
	add(
		{ method = '', url = '', headers }: RequestHead,
		endpoint: EndpointName | 'unknown',
		jobId: string | undefined,
		sandboxMs: number,
	): LogEntry {
		const entry: LogEntry = {
			id: ++this.lastId,
			sandboxMs,
			method,
			path: url,
			endpoint,
			jobId,
			headers: headers as Record<string, string>,
		};
		this.entries.push(entry);
		if (this.entries.length > CAPACITY) this.entries.shift();
		return entry;
	}

	read({ endpoint, jobId, since = 0 }: RequestFilter): LoggedRequest[] {
		return this.entries
			.filter((entry) => entry.id > since)
			.filter((entry) => endpoint === undefined || entry.endpoint === endpoint)
			.filter((entry) => jobId === undefined || entry.jobId === jobId)
			.map(({ rawBody, ...entry }) => ({ ...entry, body: parseBody(rawBody) }));
	}
}

function parseBody(rawBody: string | undefined): unknown {
	if (rawBody === undefined || rawBody === '') return undefined;
	try {
		return JSON.parse(rawBody);
	} catch {
		return rawBody;
	}
}
