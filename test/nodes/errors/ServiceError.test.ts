import { asThrown, ServiceError, type ServiceErrorKind } from '../../../nodes/errors/ServiceError';

describe('what came of a call', () => {
	it.each<[ServiceErrorKind, { passes: boolean; nothingStarted: boolean }]>([
		['invalid', { passes: false, nothingStarted: true }],
		['unauthorized', { passes: false, nothingStarted: true }],
		['insufficientCredits', { passes: false, nothingStarted: true }],
		['forbidden', { passes: false, nothingStarted: true }],
		['notFound', { passes: false, nothingStarted: true }],
		['rejected', { passes: false, nothingStarted: true }],
		['redirect', { passes: false, nothingStarted: true }],
		['rateLimited', { passes: true, nothingStarted: true }],
		['unreachable', { passes: true, nothingStarted: true }],
		['notSent', { passes: false, nothingStarted: true }],
		['queueTimeout', { passes: true, nothingStarted: true }],
		['serverError', { passes: true, nothingStarted: false }],
		['timeout', { passes: true, nothingStarted: false }],
		['connectionLost', { passes: true, nothingStarted: false }],
		['unreadable', { passes: true, nothingStarted: false }],
		['stopped', { passes: false, nothingStarted: false }],
	])(
		'says whether it may go better later, and whether a job may have started: %s',
		(kind, said) => {
			const error = new ServiceError({ kind });

			expect({ passes: error.isTransient, nothingStarted: error.isDefinitelyNotProcessed }).toEqual(
				said,
			);
		},
	);

	it.each([
		[301, true],
		[302, false],
		[307, true],
		[308, true],
		[303, false],
		[304, false],
	])(
		'says so of a redirect by its status, for some come after the deed: %i',
		(statusCode, said) => {
			const error = new ServiceError({ kind: 'redirect', statusCode });

			expect(error.isDefinitelyNotProcessed).toBe(said);
		},
	);

	it('is thrown on as it is, with all its facts', () => {
		const error = new ServiceError({ kind: 'rateLimited', retryAfterMs: 5 });

		expect(asThrown(error)).toBe(error);
	});
});
