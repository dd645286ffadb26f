import type { IBinaryData, IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { FileOutcome } from '../jobs/jobFiles';

/** Files as an item carries them: `file_0`, `file_1`, … beside a list of what they are. */
export interface AttachedFiles {
	files: IDataObject[];
	binary: IBinaryKeyData;
}

/** Attaches the files that could be had; the others are left out. */
export function toAttachedFiles(outcomes: Array<FileOutcome<IBinaryData>>): AttachedFiles {
	const attached: AttachedFiles = { files: [], binary: {} };
	for (const outcome of outcomes) {
		if ('error' in outcome) continue;
		const property = `file_${attached.files.length}`;
		attached.binary[property] = outcome.stored;
		attached.files.push({
			filename: outcome.filename,
			size_bytes: outcome.sizeBytes,
			mime_type: outcome.stored.mimeType,
			binary_property: property,
		});
	}
	return attached;
}
