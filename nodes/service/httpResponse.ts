import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ServiceError } from '../errors/ServiceError';

export interface HttpResponse {
	statusCode: number;
	headers: IDataObject;
	/** Data if the body is JSON, text otherwise; undefined if it could not be read. */
	body: unknown;
}

/** A stream as n8n takes it for binary data. */
export type ByteStream = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Buffer
>;

/** A response whose body has not been read, as n8n's HTTP helper returns it. */
export interface OpenResponse extends HttpResponse {
	body: ByteStream;
}

/** Bytes. */
export const MB = 1024 * 1024;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads a body to its end. After more than `maxBytes` it closes the connection and throws
 * `tooLarge`.
 */
export async function readText(stream: ByteStream, maxBytes = Infinity): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		chunks.push(chunk as Buffer);
		size += (chunk as Buffer).length;
		// Leaving the loop destroys the stream.
		if (size > maxBytes) throw tooLargeError(maxBytes);
	}
	const text = Buffer.concat(chunks).toString('utf8');
	return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** The error of a body with more than `maxBytes`. */
export function tooLargeError(maxBytes: number): ServiceError {
	return new ServiceError({ kind: 'tooLarge', detail: `over ${maxBytes / MB} MB` });
}
