import { rethrown, ServiceError } from '../errors/ServiceError';
import type { HttpClient } from './HttpClient';
import type { ByteStream, OpenResponse } from './httpResponse';
import { invalidLink, openLink } from './openLink';
import { retryRead } from './retryRead';
import { Transfer } from './Transfer';

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

interface Received<T> {
	result: T;
	receivedBytes: number;
}

const EXPIRED_STATUSES = [400, 403, 404, 410];
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const MAX_TYPE_CHARACTERS = 100;

/** Downloads a file in up to three attempts, with a new link for an expired one. Throws what `read` throws. */
export async function fetchFile<T>(
	http: HttpClient,
	link: string | undefined,
	refreshLink: () => Promise<string | undefined>,
	read: ReadFile<T>,
	options: DownloadOptions,
): Promise<Received<T>> {
	let current = link;
	let isRenewed = false;
	const attempt = async () => {
		if (current === undefined) throw invalidLink('it has no link');
		try {
			return await receive(http, current, read, options);
		} catch (error) {
			if (isRenewed || !isExpired(error)) throw rethrown(error);
			current = (await refreshLink()) ?? current;
			isRenewed = true;
			return await receive(http, current, read, options);
		}
	};
	return await retryRead(attempt, options, http.connection.clock);
}

/** Downloads what is at a link, in one attempt. */
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
		throw rethrown(transfer.failure ?? error);
	} finally {
		transfer.close();
		await watching;
	}
}

function isExpired(error: unknown): boolean {
	return error instanceof ServiceError && EXPIRED_STATUSES.includes(error.facts.statusCode ?? 0);
}

// n8n knows more of a file by its name than this type says.
function mimeTypeOf({ headers }: OpenResponse): string | undefined {
	const [type = ''] = String(headers['content-type'] ?? '').split(';');
	const plain = type.trim().toLowerCase();
	const isUseful = MIME_TYPE.test(plain) && !plain.endsWith('/octet-stream');
	return isUseful && plain.length <= MAX_TYPE_CHARACTERS ? plain : undefined;
}
