import type { Logger } from 'n8n-workflow';

/** Returns a logger like n8n's that passes each line to `write`, with its level. */
export function loggerTo(write: (line: string, level: keyof Logger) => void): Logger {
	const at = (level: keyof Logger) => (line: string) => write(line, level);
	return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
