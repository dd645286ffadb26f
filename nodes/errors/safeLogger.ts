import type { Logger } from 'n8n-workflow';

import { withoutMarkup } from './plainText';

/**
 * The logger without secrets and with one line per entry, so that no text from outside can forge
 * one.
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
