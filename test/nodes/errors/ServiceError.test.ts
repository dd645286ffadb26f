import { ServiceError } from '../../../nodes/errors/ServiceError';

// What each kind means is in serviceErrorKinds.golden.json.
describe('ServiceError', () => {
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
			(facts) => new ServiceError({ kind: 'rejected', ...facts }).message,
		);

		expect(messages).toEqual(['Not today', 'rejected']);
	});
});
