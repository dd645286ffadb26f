import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ServiceError } from '../errors/ServiceError';
import { MB } from '../units';

/** A response to an HTTP request. */
export interface HttpResponse {
	statusCode: number;
	/** As Node.js has them: the names are in lower case. */
	headers: IDataObject;
	/** Data if the body is JSON, text otherwise, or undefined if it could not be read. */
	body: unknown;
	/** The body as it was sent: only there do large numbers have all their digits. */
	text?: string;
}

/** A stream of the type that n8n accepts for binary data. */
export type ByteStream = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Buffer
>;

/** A response as n8n's HTTP helper returns it, whose body has not been read. */
export interface OpenResponse extends HttpResponse {
	body: ByteStream;
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads a body to its end, as UTF-8 without a byte order mark. After more than `maxBytes` it
 * destroys the stream and throws `tooLarge`. Default: no limit.
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

/** Returns the error for a body with more than `maxBytes`. */
export function tooLargeError(maxBytes: number): ServiceError {
	return new ServiceError({ kind: 'tooLarge', detail: `it is larger than ${maxBytes / MB} MB` });
}
