import { ServiceError, type ServiceErrorKind } from '../../../nodes/errors/ServiceError';

/** Whether the same call may succeed later, and whether a start has certainly started nothing. */
const FACTS: Record<ServiceErrorKind, { isTransient: boolean; provesNothingWasDone: boolean }> = {
	invalid: { isTransient: false, provesNothingWasDone: true },
	unauthorized: { isTransient: false, provesNothingWasDone: true },
	insufficientCredits: { isTransient: false, provesNothingWasDone: true },
	forbidden: { isTransient: false, provesNothingWasDone: true },
	notFound: { isTransient: false, provesNothingWasDone: true },
	rejected: { isTransient: false, provesNothingWasDone: true },
	proxyUnauthorized: { isTransient: false, provesNothingWasDone: true },
	redirect: { isTransient: false, provesNothingWasDone: true },
	notSent: { isTransient: false, provesNothingWasDone: true },
	gatewayNotFound: { isTransient: true, provesNothingWasDone: true },
	rateLimited: { isTransient: true, provesNothingWasDone: true },
	unreachable: { isTransient: true, provesNothingWasDone: true },
	queueTimeout: { isTransient: true, provesNothingWasDone: true },
	serverError: { isTransient: true, provesNothingWasDone: false },
	timeout: { isTransient: true, provesNothingWasDone: false },
	connectionLost: { isTransient: true, provesNothingWasDone: false },
	encryptionFailed: { isTransient: true, provesNothingWasDone: false },
	unreadable: { isTransient: true, provesNothingWasDone: false },
	tooLarge: { isTransient: false, provesNothingWasDone: false },
	aborted: { isTransient: false, provesNothingWasDone: false },
	tooSlow: { isTransient: false, provesNothingWasDone: false },
	invalidLink: { isTransient: false, provesNothingWasDone: false },
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
		expect(new ServiceError({ kind: 'rejected' }).provesNothingWasDone).toBe(false);
	});

	it('does not prove that nothing was processed when a redirect has no status', () => {
		expect(new ServiceError({ kind: 'redirect' }).provesNothingWasDone).toBe(false);
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

		expect(error.provesNothingWasDone).toBe(isProof);
	});

	it('has its detail as message, or else its kind', () => {
		const messages = [{ detail: 'Not today' }, {}].map(
			(facts) => new ServiceError({ kind: 'invalid', ...facts }).message,
		);

		expect(messages).toEqual(['Not today', 'invalid']);
	});
});
