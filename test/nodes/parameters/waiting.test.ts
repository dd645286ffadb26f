import { readWaitParameters, type WaitParameters } from '../../../nodes/parameters/waiting';
import { parameterContext } from '../../support/parameterContext';

const DEFAULTS: WaitParameters = {
	result: {
		wait: {
			maxWaitMs: 35 * 60_000,
			returnInsteadOfFailing: [],
			waitWhileTakenOver: false,
		},
		item: {
			simplify: true,
			downloadFiles: false,
			maxFileBytes: 1024 * 1024 * 1024,
			parsesJson: false,
		},
	},
	suspends: false,
	maxParallel: 10,
};

function readOptions(options: Record<string, unknown>): WaitParameters {
	return readWaitParameters(parameterContext({ options }), 0, 35);
}

describe('readWaitParameters', () => {
	it('has defaults, and takes the time to wait from its caller', () => {
		expect(readOptions({})).toEqual(DEFAULTS);
	});

	it('reads how to wait, and how to make the item', () => {
		const { wait, item } = DEFAULTS.result;
		const wanted = { returnInsteadOfFailing: ['timeout' as const], waitWhileTakenOver: true };

		expect(readOptions({ maxWaitMinutes: '0.5', downloadFiles: 'true', ...wanted }).result).toEqual(
			{
				wait: { ...wait, maxWaitMs: 30_000, ...wanted },
				item: { ...item, downloadFiles: true },
			},
		);
	});

	it('keeps a time and a size finite that are too large for a number, as JSON has no Infinity', () => {
		const { wait, item } = readOptions({ maxWaitMinutes: 1e308, maxFileSizeMb: 1e308 }).result;

		const limits = [wait.maxWaitMs, item.maxFileBytes];
		expect(JSON.parse(JSON.stringify(limits))).toEqual(Array(2).fill(Number.MAX_SAFE_INTEGER));
	});

	it('reads how many jobs may run at a time', () => {
		expect(readOptions({ maxParallelJobs: '1' })).toEqual({ ...DEFAULTS, maxParallel: 1 });
	});
});
