import { ServiceError, type ServiceErrorKind } from '../../../nodes/errors/ServiceError';

/** Whether the same call may succeed later, and whether a start has certainly started nothing. */
const FACTS: Record<ServiceErrorKind, { isTransient: boolean; isCertainlyNotProcessed: boolean }> =
	{
		invalid: { isTransient: false, isCertainlyNotProcessed: true },
		unauthorized: { isTransient: false, isCertainlyNotProcessed: true },
		insufficientCredits: { isTransient: false, isCertainlyNotProcessed: true },
		forbidden: { isTransient: false, isCertainlyNotProcessed: true },
		notFound: { isTransient: false, isCertainlyNotProcessed: true },
		rejected: { isTransient: false, isCertainlyNotProcessed: true },
		proxyUnauthorized: { isTransient: false, isCertainlyNotProcessed: true },
		redirect: { isTransient: false, isCertainlyNotProcessed: true },
		notSent: { isTransient: false, isCertainlyNotProcessed: true },
		gatewayNotFound: { isTransient: true, isCertainlyNotProcessed: true },
		rateLimited: { isTransient: true, isCertainlyNotProcessed: true },
		unreachable: { isTransient: true, isCertainlyNotProcessed: true },
		queueTimeout: { isTransient: true, isCertainlyNotProcessed: true },
		serverError: { isTransient: true, isCertainlyNotProcessed: false },
		timeout: { isTransient: true, isCertainlyNotProcessed: false },
		connectionLost: { isTransient: true, isCertainlyNotProcessed: false },
		encryptionFailed: { isTransient: true, isCertainlyNotProcessed: false },
		unreadable: { isTransient: true, isCertainlyNotProcessed: false },
		tooLarge: { isTransient: false, isCertainlyNotProcessed: false },
		aborted: { isTransient: false, isCertainlyNotProcessed: false },
		tooSlow: { isTransient: false, isCertainlyNotProcessed: false },
		invalidLink: { isTransient: false, isCertainlyNotProcessed: false },
	};

describe('ServiceError', () => {
	it.each(Object.entries(FACTS))(
		'%s says whether it is transient and whether nothing was processed',
		(kind, facts) => {
			const statusCode = { rejected: 409, redirect: 301 }[kind];
			const error = new ServiceError({ kind: kind as ServiceErrorKind, statusCode });

			expect(error).toMatchObject(facts);
		},
	);

	it('does not prove that nothing was processed when a 2xx response reports an error', () => {
		expect(new ServiceError({ kind: 'rejected' }).isCertainlyNotProcessed).toBe(false);
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

		expect(error.isCertainlyNotProcessed).toBe(isProof);
	});

	it('has its detail as message, or else its kind', () => {
		const messages = [{ detail: 'Not today' }, {}].map(
			(facts) => new ServiceError({ kind: 'invalid', ...facts }).message,
		);

		expect(messages).toEqual(['Not today', 'invalid']);
	});
});
