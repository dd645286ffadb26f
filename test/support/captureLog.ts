import { ExecuteContext } from 'n8n-core';
import type { LogMetadata } from 'n8n-workflow';

import { loggerTo } from '../../dev/engine/loggerTo';

/** Collects what nodes write into n8n's log, with its metadata, until mocks are restored. */
export function captureLog(): string[] {
	const lines: string[] = [];
	const logger = loggerTo((line) => lines.push(line));
	jest.spyOn(ExecuteContext.prototype, 'logger', 'get').mockReturnValue(logger as never);
	return lines;
}

/** Returns the metadata at the end of each line; an empty object for a line without any. */
export function metadataOf(lines: string[]): LogMetadata[] {
	return lines.map((line) => JSON.parse(/ (\{".*\})$/.exec(line)?.[1] ?? '{}') as LogMetadata);
}
