import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { FileResult } from '../jobs/jobFiles';

/** The files of an item: binary data under `file_0`, `file_1`, …, and a list describing it. */
export interface AttachedFiles {
	files: IDataObject[];
	binary: IBinaryKeyData;
}

/** Attaches the files that were downloaded, and leaves out those that failed. */
export function toAttachedFiles(results: FileResult[]): AttachedFiles {
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
