import type { HttpClient } from './HttpClient';
import type { ByteStream, OpenResponse } from './httpResponse';
import { openLink } from './openLink';
import { Transfer } from './Transfer';

const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const MAX_TYPE_CHARACTERS = 100;

/** What ends a download before it is complete. */
export interface DownloadOptions {
	signal?: AbortSignal;
	/** The clock's time at which it is given up; unset: none. */
	deadline?: number;
	/** A larger file is given up as soon as it is known to be larger. */
	maxBytes?: number;
	/** Whether the key is never sent along. */
	isUnsigned?: boolean;
}

/** Reads a stream to its end. `mimeType` is unset if the response said nothing useful. */
export type ReadFile<T> = (stream: ByteStream, mimeType?: string) => Promise<T>;

/** What `ReadFile` returned, and how large the file was. */
export interface Received<T> {
	result: T;
	receivedBytes: number;
}

/** Downloads what is at a link, in one try. Throws a `ServiceError`, or what `read` throws. */
export async function receive<T>(
	http: HttpClient,
	link: string,
	read: ReadFile<T>,
	{ signal, deadline = Infinity, maxBytes = Infinity, isUnsigned = false }: DownloadOptions,
): Promise<Received<T>> {
	const transfer = new Transfer(http.connection.clock, { maxBytes, deadline, stopSignal: signal });
	const watching = transfer.watch();
	try {
		// The deadline may have come while other files were on their way.
		if (transfer.failure !== undefined) throw transfer.failure;

		const response = await openLink(http, link, transfer, isUnsigned);
		transfer.failIfLarger(Number(response.headers['content-length'] ?? NaN));
		const stream = transfer.guard(response.body);
		const result = await read(stream, mimeTypeOf(response));
		return { result, receivedBytes: transfer.receivedBytes };
	} catch (error) {
		throw transfer.failure ?? error;
	} finally {
		transfer.close();
		await watching;
	}
}

// n8n knows more of a file by its name than an unspecific type says.
function mimeTypeOf({ headers }: OpenResponse): string | undefined {
	const [type = ''] = String(headers['content-type'] ?? '').split(';');
	const plain = type.trim().toLowerCase();
	const isUseful = MIME_TYPE.test(plain) && !plain.endsWith('/octet-stream');
	return isUseful && plain.length <= MAX_TYPE_CHARACTERS ? plain : undefined;
}
