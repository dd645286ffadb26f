import { STATUS_CODES } from 'node:http';

/** What an operation answers, before anything is sent. Without `json` and `content` it has no body. */
export interface Answer {
	status: number;
	headers?: Record<string, string>;
	json?: unknown;
	content?: Content;
	/** A script wants what the document does not allow, so the answer is not held against it. */
	isUnchecked?: boolean;
}

/** A body that is sent as it is. */
export interface Content {
	type: string;
	sizeBytes: number;
	/** Leaves the receiver in the dark about the size. */
	hidesSize?: boolean;
	/** An array when the whole body is at hand. */
	chunks(): Buffer[] | Iterable<Buffer>;
}

/** An error body as the service sends it. */
export function problem(status: number, detail = STATUS_CODES[status] ?? 'Unknown'): Answer {
	return { status, json: { detail, status_code: status } };
}

export function bufferContent(buffer: Buffer, type = 'application/json'): Content {
	return { type, sizeBytes: buffer.length, chunks: () => [buffer] };
}

/** The body of an answer in bytes, whichever form it has. */
export function contentOf({ json, content }: Answer): Content | undefined {
	if (content) return content;
	return json === undefined ? undefined : bufferContent(Buffer.from(JSON.stringify(json)));
}
