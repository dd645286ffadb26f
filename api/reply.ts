import { STATUS_CODES } from 'node:http';

/** An HTTP response before it is sent. With neither `json` nor `content` it has no body. */
export interface Reply {
	status: number;
	headers?: Record<string, string>;
	json?: unknown;
	content?: Content;
}

/** A body that is not JSON or is too large to be held in memory. */
export interface Content {
	type: string;
	sizeBytes: number;
	omitContentLength?: boolean;
	/** An array when the whole body is in memory. */
	chunks(): Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** Creates an error response in the service's format, ErrorResponse. */
export function errorReply(status: number, detail = STATUS_CODES[status] ?? 'Unknown'): Reply {
	return { status, json: { detail, status_code: status } };
}

/** Creates a body that is in memory. */
export function bufferContent(buffer: Buffer, type = 'application/json'): Content {
	return { type, sizeBytes: buffer.length, chunks: () => [buffer] };
}

/** Returns the body of a reply, or `undefined` when it has none. */
export function contentOf({ json, content }: Reply): Content | undefined {
	if (content) return content;
	return json === undefined ? undefined : bufferContent(Buffer.from(JSON.stringify(json)));
}

/** Returns the header fields of a reply with this content. */
export function headersOf(reply: Reply, content = contentOf(reply)): Record<string, string> {
	return {
		...(content && { 'Content-Type': content.type }),
		...(!content?.omitContentLength && { 'Content-Length': String(content?.sizeBytes ?? 0) }),
		...reply.headers,
	};
}

/** Returns the first bytes of a body. */
export async function* takeBytes(
	chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
	count: number,
): AsyncGenerator<Buffer> {
	let left = count;
	for await (const chunk of chunks) {
		if (left <= 0) return;
		yield chunk.subarray(0, left);
		left -= chunk.length;
	}
}
