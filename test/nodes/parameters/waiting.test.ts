import type { JobOptions } from '../../../nodes/jobs/JobTask';
import { optionsField } from '../../../nodes/parameters/options';
import { toJobOptions, WAIT_OPTIONS } from '../../../nodes/parameters/waiting';
import { valuesIn } from '../../support/parameterContext';

const DEFAULTS: JobOptions = {
	maxWaitMs: 35 * 60_000,
	waitWhileTakenOver: false,
	suspends: false,
	maxParallel: 10,
	returnInsteadOfFailing: [],
	simplify: true,
	parsesJson: false,
	downloadFiles: false,
	maxFileBytes: 1024 * 1024 * 1024,
};

function readOptions(options: Record<string, unknown>): JobOptions {
	const values = valuesIn({ options }, { options: optionsField(WAIT_OPTIONS) });
	return toJobOptions({ ...values, simplify: true }, { parsesJson: false }, 35);
}

describe('toJobOptions', () => {
	it('has defaults, and takes the time to wait from its caller', () => {
		expect(readOptions({})).toEqual(DEFAULTS);
	});

	it('reads how to wait, and how to make the item', () => {
		const wanted = { returnInsteadOfFailing: ['timeout' as const], waitWhileTakenOver: true };

		expect(readOptions({ maxWaitMinutes: '0.5', downloadFiles: 'true', ...wanted })).toEqual({
			...DEFAULTS,
			maxWaitMs: 30_000,
			downloadFiles: true,
			...wanted,
		});
	});

	it('keeps a time and a size finite that are too large for a number, as JSON has no Infinity', () => {
		const read = readOptions({ maxWaitMinutes: 1e308, maxFileSizeMb: 1e308 });

		const limits = [read.maxWaitMs, read.maxFileBytes];
		expect(JSON.parse(JSON.stringify(limits))).toEqual(Array(2).fill(Number.MAX_SAFE_INTEGER));
	});

	it('reads how many jobs may run at a time', () => {
		expect(readOptions({ maxParallelJobs: '1' })).toEqual({ ...DEFAULTS, maxParallel: 1 });
	});
});
