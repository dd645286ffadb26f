import type { LogMetadata, Logger } from 'n8n-workflow';

/**
 * Returns a logger like n8n's that passes each line to `write`, with its level. A line ends with
 * its metadata as JSON, as on n8n's console at level debug.
 */
export function loggerTo(write: (line: string, level: keyof Logger) => void): Logger {
	const at = (level: keyof Logger) => (message: string, metadata?: LogMetadata) => {
		write(metadata === undefined ? message : `${message} ${JSON.stringify(metadata)}`, level);
	};
	return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
