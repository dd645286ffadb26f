import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import type { FileStream } from '../service/download';

// Of these n8n knows that they are text; to everything it does not know it says so, too.
const TEXT_ENDINGS = ['conf', 'def', 'in', 'ini', 'list', 'log', 'text', 'txt'];
const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * Makes n8n's binary data of a stream. Without a type from the service, the name's ending says what
 * the file is; without either it is bytes, not text.
 */
export async function storeFile(
	helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'>,
	stream: FileStream,
	filename: string,
	mimeType?: string,
): Promise<IBinaryData> {
	const ending = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase();
	const known = mimeType ?? (ending === undefined ? UNKNOWN_TYPE : undefined);
	const stored = await helpers.prepareBinaryData(stream, filename, known);

	const isGuess = known === undefined && stored.mimeType === 'text/plain';
	if (!isGuess || TEXT_ENDINGS.includes(ending ?? '')) return stored;
	const { fileType: _text, ...bytes } = stored;
	return { ...bytes, mimeType: UNKNOWN_TYPE };
}
