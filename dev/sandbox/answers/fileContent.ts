import { extname } from 'node:path';

import { generatedBytes } from '../generatedBytes';
import { type Content, bufferContent } from '../../../api/reply';
import type { FileScript } from '../types';

const CONTENT_TYPES: Record<string, string> = {
	'.csv': 'text/csv',
	'.html': 'text/html',
	'.json': 'application/json',
	'.pdf': 'application/pdf',
	'.png': 'image/png',
	'.txt': 'text/plain',
};

/** Returns the body of a download of this file. */
export function fileContent(file: FileScript): Content {
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
