import { createSafeLogger } from '../../../nodes/errors/safeLogger';
import { captureLogger } from '../../support/captureLogger';

const redact = (text: string) => text.replaceAll('key-1', '[hidden]');

describe('createSafeLogger', () => {
	it.each(['debug', 'info', 'warn', 'error'] as const)('keeps the level %s', (level) => {
		const { logger, lines } = captureLogger();

		createSafeLogger(logger, redact)[level]('Job job_1 was paused');

		expect(lines).toEqual([`${level}: Job job_1 was paused`]);
	});

	it('removes secrets', () => {
		const { logger, lines } = captureLogger();

		createSafeLogger(logger, redact).warn('The service said: key-1');

		expect(lines).toEqual(['warn: The service said: [hidden]']);
	});

	it('writes one line, whatever the text contains', () => {
		const { logger, lines } = captureLogger();

		createSafeLogger(logger, redact).warn('failed\r\n2026-01-01 | info | all is well \u202e<b>');

		expect(lines).toEqual(['warn: failed 2026-01-01 | info | all is well ‹b›']);
	});
});
