import type { HttpClient } from './HttpClient';
import type { ByteStream, OpenResponse } from './httpResponse';
import { openLink } from './openLink';
import { Transfer, type DownloadDeadline } from './Transfer';

const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const MAX_TYPE_CHARACTERS = 100;

/** What ends a download before it is complete. */
export interface DownloadOptions {
	/** Ends the download with `aborted`. */
	signal?: AbortSignal;
	/** Default: none. */
	deadline?: DownloadDeadline;
	/** The download fails as soon as the file is known to be larger. Default: no limit. */
	maxBytes?: number;
	/** Whether the user entered the link, so that the API key is never sent. Default: false. */
	isFromUser?: boolean;
}

/** Reads a stream to its end. `mimeType` is undefined if the response has no useful type. */
export type ReadFile<T> = (stream: ByteStream, mimeType?: string) => Promise<T>;

/** What a `ReadFile` returned, and the decompressed size of the file. */
export interface Downloaded<T> {
	value: T;
	receivedBytes: number;
}

/**
 * Downloads what is behind a link, in one try, and passes its stream to `read`. Throws a
 * `ServiceError`, or what `read` throws.
 */
export async function download<T>(
	http: HttpClient,
	link: string,
	read: ReadFile<T>,
	{ signal, deadline, maxBytes = Infinity, isFromUser = false }: DownloadOptions,
): Promise<Downloaded<T>> {
	const transfer = new Transfer(http.connection.clock, { maxBytes, deadline, stopSignal: signal });
	const watching = transfer.watch();
	try {
		// The deadline may have passed while other files were being downloaded.
		if (transfer.failure !== undefined) throw transfer.failure;

		const response = await openLink(http, link, transfer, isFromUser);
		transfer.failIfLarger(Number(response.headers['content-length'] ?? NaN));
		const stream = transfer.guard(response.body);
		const value = await read(stream, mimeTypeOf(response));
		return { value, receivedBytes: transfer.receivedBytes };
	} catch (error) {
		throw transfer.failure ?? error;
	} finally {
		transfer.close();
		await watching;
	}
}

// A generic type is ignored, since n8n can tell more from the name of a file.
function mimeTypeOf({ headers }: OpenResponse): string | undefined {
	const [type = ''] = String(headers['content-type'] ?? '').split(';');
	const plain = type.trim().toLowerCase();
	const isUseful = MIME_TYPE.test(plain) && !plain.endsWith('/octet-stream');
	return isUseful && plain.length <= MAX_TYPE_CHARACTERS ? plain : undefined;
}
