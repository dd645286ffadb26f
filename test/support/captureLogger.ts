import type { Logger } from 'n8n-workflow';

import { loggerTo } from '../../dev/engine/loggerTo';

/** A logger that collects its lines, each after its level: "warn: …". */
export function captureLogger(): { logger: Logger; lines: string[] } {
	const lines: string[] = [];
	return { lines, logger: loggerTo((line, level) => lines.push(`${level}: ${line}`)) };
}
