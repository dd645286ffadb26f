import type { FileStream } from '../service/download';
import type { ListedFile, ServiceClient } from '../service/ServiceClient';
import { toSafeFileNames } from './fileNames';
import { limitConcurrency } from '../async/limitConcurrency';

const FILES_AT_ONCE = 3;

/** Which files to fetch, and where to put them. */
export interface FileDownload<Stored> {
	/** By the service's own name for a file, or by the safe one; unset: all files. */
	isWanted?: (filename: string) => boolean;
	maxBytes?: number;
	signal?: AbortSignal;
	/** Reads the stream to its end; `mimeType` is unset when the service said nothing of use. */
	store: (stream: FileStream, filename: string, mimeType?: string) => Promise<Stored>;
}

/** One file, whole or not at all. `filename` is safe and different from all others. */
export type FileOutcome<Stored> =
	| { filename: string; sizeBytes: number; stored: Stored }
	| { filename: string; error: unknown };

/**
 * Fetches the files of a job, a few at a time, and returns one outcome for each, in the service's
 * order. Throws only when the files cannot be listed.
 */
export async function downloadJobFiles<Stored>(
	client: Pick<ServiceClient, 'getJobFiles' | 'downloadFile'>,
	jobId: string,
	{ isWanted = () => true, maxBytes, signal, store }: FileDownload<Stored>,
): Promise<Array<FileOutcome<Stored>>> {
	const all = await client.getJobFiles(jobId, { signal, repeat: true });
	const names = toSafeFileNames(all.map(({ filename }) => filename));
	const files = all
		.map((file, position) => ({ jobId, file, position, filename: names[position] as string }))
		.filter(({ file, filename }) => isWanted(filename) || isWanted(file.filename ?? filename));

	const outcomes: Array<FileOutcome<Stored>> = [];
	await limitConcurrency(files.length, FILES_AT_ONCE, async (index) => {
		const listed = files[index] as ListedFile & { filename: string };
		const { filename } = listed;
		try {
			const { stored, receivedBytes } = await client.downloadFile(
				listed,
				async (stream, mimeType) => await store(stream, filename, mimeType),
				{ maxBytes, signal },
			);
			outcomes[index] = { filename, sizeBytes: receivedBytes, stored };
		} catch (error) {
			outcomes[index] = { filename, error };
		}
	});
	return outcomes;
}
