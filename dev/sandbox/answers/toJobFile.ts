import { extname } from 'node:path';

import type { JobFile } from '../../../api/backend';
import { type Content, bufferContent } from '../../../api/reply';
import { generatedBytes } from '../generatedBytes';
import type { FileScript } from '../types';

const CONTENT_TYPES: Record<string, string> = {
	'.csv': 'text/csv',
	'.html': 'text/html',
	'.json': 'application/json',
	'.pdf': 'application/pdf',
	'.png': 'image/png',
	'.txt': 'text/plain',
};

/** Makes a job file of its script. */
export function toJobFile(file: FileScript): JobFile {
	const { filename, expiresInSeconds, downloadUrl } = file;
	return {
		filename,
		expiresInSeconds,
		downloadUrl,
		download: () => ({ status: 200, content: fileContent(file) }),
	};
}

function fileContent(file: FileScript): Content {
	return {
		...scriptedBytes(file),
		type: file.contentType ?? typeByExtension(file.filename),
		omitContentLength: file.withoutContentLength,
	};
}

function scriptedBytes({ content, sizeBytes = 0 }: FileScript): Omit<Content, 'type'> {
	if (content !== undefined) return bufferContent(Buffer.from(content));
	return { sizeBytes, chunks: () => generatedBytes(sizeBytes) };
}

function typeByExtension(filename: string): string {
	return CONTENT_TYPES[extname(filename).toLowerCase()] ?? 'application/octet-stream';
}
