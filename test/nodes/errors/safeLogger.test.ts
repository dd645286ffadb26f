import { createSafeLogger } from '../../../nodes/errors/safeLogger';
import { captureLogger } from '../../support/captureLogger';

it.each(['debug', 'info', 'warn', 'error'] as const)(
	'The log has one line without secrets for each text at level %s',
	(level) => {
		const { logger, lines } = captureLogger();
		const redact = (text: string) => text.replaceAll('key-1', '[hidden]');

		createSafeLogger(logger, redact)[level]('key-1\r\n2026-01-01 | info | all is well \u202e<b>');

		expect(lines).toEqual([`${level}: [hidden] 2026-01-01 | info | all is well ‹b›`]);
	},
);
