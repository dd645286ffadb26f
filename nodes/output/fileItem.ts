import type { IBinaryData, IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { FileResult, StoreFile } from '../jobs/jobFiles';
import type { JobFile } from '../service/types';
import { omitUndefined } from './jobItem';

// n8n knows that these are text, and says the same of everything it doesn't know.
const TEXT_ENDINGS = ['conf', 'def', 'in', 'ini', 'list', 'log', 'text', 'txt'];
const UNKNOWN_TYPE = 'application/octet-stream';

/** Files as an item has them: `file_0`, `file_1`, … and a list of what they are. */
export interface AttachedFiles {
	files: IDataObject[];
	binary: IBinaryKeyData;
}

/** A file of a job that is not downloaded. */
export function toFileItem(jobId: string, file: JobFile): IDataObject {
	return omitUndefined({ job_id: jobId, ...file });
}

/** Attaches the files that were downloaded; the others are left out. */
export function toAttachedFiles(results: Array<FileResult<IBinaryData>>): AttachedFiles {
	const attached: AttachedFiles = { files: [], binary: {} };
	for (const result of results) {
		if ('error' in result) continue;
		const property = `file_${attached.files.length}`;
		attached.binary[property] = result.stored;
		attached.files.push({
			filename: result.filename,
			size_bytes: result.sizeBytes,
			mime_type: result.stored.mimeType,
			binary_property: property,
		});
	}
	return attached;
}

/**
 * Stores streams with n8n's helper. Without a type from the service, the ending of the name says what
 * the file is; without either it is bytes, not text.
 */
export function createStoreFile(
	helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'>,
): StoreFile<IBinaryData> {
	return async (stream, filename, mimeType) => {
		const ending = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase();
		const known = mimeType ?? (ending === undefined ? UNKNOWN_TYPE : undefined);
		const stored = await helpers.prepareBinaryData(stream, filename, known);

		const isGuess = known === undefined && stored.mimeType === 'text/plain';
		if (!isGuess || TEXT_ENDINGS.includes(ending ?? '')) return stored;
		const { fileType: _text, ...bytes } = stored;
		return { ...bytes, mimeType: UNKNOWN_TYPE };
	};
}
