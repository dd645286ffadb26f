import fc, { type Arbitrary } from 'fast-check';

import type { JobScript } from '../../sandbox/types';

/** How a job goes and ends, with this output. */
export function jobWith(output: Arbitrary<unknown>): Arbitrary<JobScript> {
	return fc.record({
		durationSeconds: fc.constantFrom(1, 15, 60, 3_600),
		outcome: fc.constantFrom('completed', 'failed', 'failed', 'canceled', 'user_taken_over'),
		output,
	});
}
