import { ServiceError, type ServiceErrorKind } from '../../../nodes/errors/ServiceError';

// What each kind means is in serviceErrorKinds.golden.json.
describe('ServiceError.provesNothingWasDone', () => {
	it.each<[ServiceErrorKind, number | undefined, boolean]>([
		['rejected', undefined, false],
		['rejected', 200, false],
		['redirect', undefined, false],
		['redirect', 302, false],
		['redirect', 307, true],
		['redirect', 308, true],
	])('of the kind %s with status %p is %p', (kind, statusCode, isProof) => {
		expect(new ServiceError({ kind, statusCode }).provesNothingWasDone).toBe(isProof);
	});
});
