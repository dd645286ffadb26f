import type { Logger } from 'n8n-workflow';

import { withoutMarkup } from './plainText';

/**
 * Creates a logger that redacts each message and writes it as one line, so that untrusted text
 * can't forge log lines. It drops metadata.
 */
export function createSafeLogger(logger: Logger, redact: (text: string) => string): Logger {
	const safe = (text: string) => withoutMarkup(redact(text));
	return {
		debug: (message) => logger.debug(safe(message)),
		info: (message) => logger.info(safe(message)),
		warn: (message) => logger.warn(safe(message)),
		error: (message) => logger.error(safe(message)),
	};
}
