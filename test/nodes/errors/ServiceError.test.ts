import { ServiceError, type ServiceErrorKind } from '../../../nodes/errors/ServiceError';

const TRANSIENT = { isTransient: true, isRefusal: false };
const REFUSAL = { isTransient: false, isRefusal: true };
const FINAL = { isTransient: false, isRefusal: false };

interface Meaning {
	isTransient: boolean;
	isRefusal: boolean;
	provesNothingWasDone: boolean;
}

/** Whether the same call may succeed later, and whether a start has certainly started nothing. */
const FACTS: Record<ServiceErrorKind, Meaning> = {
	invalid: { ...REFUSAL, provesNothingWasDone: true },
	unauthorized: { ...REFUSAL, provesNothingWasDone: true },
	insufficientCredits: { ...REFUSAL, provesNothingWasDone: true },
	forbidden: { ...REFUSAL, provesNothingWasDone: true },
	notFound: { ...REFUSAL, provesNothingWasDone: true },
	rejected: { ...REFUSAL, provesNothingWasDone: true },
	proxyUnauthorized: { ...REFUSAL, provesNothingWasDone: true },
	redirect: { ...REFUSAL, provesNothingWasDone: true },
	notSent: { ...REFUSAL, provesNothingWasDone: true },
	tooLarge: { ...REFUSAL, provesNothingWasDone: false },
	rateLimited: { ...TRANSIENT, provesNothingWasDone: true },
	unreachable: { ...TRANSIENT, provesNothingWasDone: true },
	queueTimeout: { ...TRANSIENT, provesNothingWasDone: true },
	serverError: { ...TRANSIENT, provesNothingWasDone: false },
	timeout: { ...TRANSIENT, provesNothingWasDone: false },
	connectionLost: { ...TRANSIENT, provesNothingWasDone: false },
	unreadable: { ...TRANSIENT, provesNothingWasDone: false },
	aborted: { ...FINAL, provesNothingWasDone: false },
	tooSlow: { ...FINAL, provesNothingWasDone: false },
	invalidLink: { ...FINAL, provesNothingWasDone: false },
};

describe('ServiceError', () => {
	it.each(Object.entries(FACTS))(
		'%s says whether it is transient or a refusal, and whether nothing was processed',
		(kind, facts) => {
			const statusCode = { rejected: 409, redirect: 301 }[kind];
			const error = new ServiceError({ kind: kind as ServiceErrorKind, statusCode });

			expect(error).toMatchObject(facts);
		},
	);

	it('does not prove that nothing was processed when a 2xx response reports an error', () => {
		const errors = [undefined, 200].map(
			(statusCode) => new ServiceError({ kind: 'rejected', statusCode }),
		);

		expect(errors.map(({ provesNothingWasDone }) => provesNothingWasDone)).toEqual([false, false]);
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
