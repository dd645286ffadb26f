import { ServiceError, type ServiceErrorKind } from '../../../nodes/errors/ServiceError';

/** Whether the same call may succeed later, and whether a start has certainly started nothing. */
const FACTS: Record<ServiceErrorKind, { isTransient: boolean; isDefinitelyNotProcessed: boolean }> =
	{
		invalid: { isTransient: false, isDefinitelyNotProcessed: true },
		unauthorized: { isTransient: false, isDefinitelyNotProcessed: true },
		insufficientCredits: { isTransient: false, isDefinitelyNotProcessed: true },
		forbidden: { isTransient: false, isDefinitelyNotProcessed: true },
		notFound: { isTransient: false, isDefinitelyNotProcessed: true },
		rejected: { isTransient: false, isDefinitelyNotProcessed: true },
		proxyUnauthorized: { isTransient: false, isDefinitelyNotProcessed: true },
		redirect: { isTransient: false, isDefinitelyNotProcessed: true },
		notSent: { isTransient: false, isDefinitelyNotProcessed: true },
		foreignNotFound: { isTransient: true, isDefinitelyNotProcessed: true },
		rateLimited: { isTransient: true, isDefinitelyNotProcessed: true },
		unreachable: { isTransient: true, isDefinitelyNotProcessed: true },
		queueTimeout: { isTransient: true, isDefinitelyNotProcessed: true },
		serverError: { isTransient: true, isDefinitelyNotProcessed: false },
		timeout: { isTransient: true, isDefinitelyNotProcessed: false },
		connectionLost: { isTransient: true, isDefinitelyNotProcessed: false },
		encryptionFailed: { isTransient: true, isDefinitelyNotProcessed: false },
		unreadable: { isTransient: true, isDefinitelyNotProcessed: false },
		tooLarge: { isTransient: false, isDefinitelyNotProcessed: false },
		aborted: { isTransient: false, isDefinitelyNotProcessed: false },
		tooSlow: { isTransient: false, isDefinitelyNotProcessed: false },
		invalidLink: { isTransient: false, isDefinitelyNotProcessed: false },
	};

describe('ServiceError', () => {
	it.each(Object.entries(FACTS))(
		'%s says whether it is transient and whether nothing was processed',
		(kind, facts) => {
			const statusCode = kind === 'rejected' ? 409 : undefined;
			const error = new ServiceError({ kind: kind as ServiceErrorKind, statusCode });

			expect(error).toMatchObject(facts);
		},
	);

	it('does not prove that nothing was processed when a 2xx response reports an error', () => {
		expect(new ServiceError({ kind: 'rejected' }).isDefinitelyNotProcessed).toBe(false);
	});

	it.each([
		[301, true],
		[302, false],
		[303, false],
		[304, false],
		[307, true],
		[308, true],
	])('a redirect with status %i proves that nothing was processed: %s', (statusCode, isProof) => {
		const error = new ServiceError({ kind: 'redirect', statusCode });

		expect(error.isDefinitelyNotProcessed).toBe(isProof);
	});

	it('has its detail as message, or else its kind', () => {
		const messages = [{ detail: 'Not today' }, {}].map(
			(facts) => new ServiceError({ kind: 'invalid', ...facts }).message,
		);

		expect(messages).toEqual(['Not today', 'invalid']);
	});
});
