import type { Logger } from 'n8n-workflow';

/** A logger that collects its lines, each after its level: "warn: …". */
export function captureLogger(): { logger: Logger; lines: string[] } {
	const lines: string[] = [];
	const at = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
	return {
		lines,
		logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
	};
}
