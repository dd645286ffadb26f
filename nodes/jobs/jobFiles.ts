import type { Clock } from '../async/clock';
import { limitConcurrency } from '../async/limitConcurrency';
import type { ByteStream } from '../service/httpResponse';
import type { ServiceClient } from '../service/ServiceClient';
import { toSafeFileNames } from './fileNames';

const MAX_CONCURRENT_DOWNLOADS = 3;
const MAX_DOWNLOAD_MS = 2 * 60 * 60_000;

/** Which files to download, and where to put them. */
export interface FileDownload<T> {
	/** Unset: all files. */
	isWanted?: (filename: string) => boolean;
	/** Size of a file. */
	maxBytes: number;
	clock: Clock;
	signal?: AbortSignal;
	store: StoreFile<T>;
}

/** Stores a stream, read to its end. `mimeType` is unset if the service said nothing useful. */
export type StoreFile<T> = (stream: ByteStream, filename: string, mimeType?: string) => Promise<T>;

/** One file, complete or not at all. `filename` is safe and unique. */
export type FileResult<T> =
	| { filename: string; sizeBytes: number; stored: T }
	| { filename: string; error: unknown };

/**
 * Downloads a job's files; one result for each, in their order. They have two hours together: what has not
 * arrived by then fails. Throws only if they can't be listed.
 */
export async function downloadJobFiles<T>(
	client: Pick<ServiceClient, 'getJobFiles' | 'fetchFile'>,
	jobId: string,
	{ isWanted = () => true, maxBytes, clock, signal, store }: FileDownload<T>,
): Promise<Array<FileResult<T>>> {
	const deadline = clock.now() + MAX_DOWNLOAD_MS;
	const listed = await client.getJobFiles(jobId, { signal, retry: true });
	const names = toSafeFileNames(listed.map(({ filename }) => filename));
	const files = listed
		.map((file, position) => ({ jobId, file, position, filename: names[position] as string }))
		.filter(({ filename }) => isWanted(filename));

	return await limitConcurrency(files, MAX_CONCURRENT_DOWNLOADS, async (file) => {
		const { filename } = file;
		try {
			const { result, receivedBytes } = await client.fetchFile(
				file,
				async (stream, mimeType) => await store(stream, filename, mimeType),
				{ maxBytes, deadline, signal },
			);
			return { filename, sizeBytes: receivedBytes, stored: result };
		} catch (error) {
			return { filename, error };
		}
	});
}
