import {
	readWaitParameters,
	type ResultOptions,
	type WaitParameters,
} from '../../../nodes/parameters/waiting';
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

	it.each<[Record<string, unknown>, Partial<ResultOptions['wait']>]>([
		[{ maxWaitMinutes: 2 }, { maxWaitMs: 120_000 }],
		[{ maxWaitMinutes: '0.5' }, { maxWaitMs: 30_000 }],
		[{ returnInsteadOfFailing: ['timeout'] }, { returnInsteadOfFailing: ['timeout'] }],
		[{ waitWhileTakenOver: true }, { waitWhileTakenOver: true }],
	])('reads how to wait: %j', (options, wanted) => {
		const { wait, item } = DEFAULTS.result;
		const result = { wait: { ...wait, ...wanted }, item };
		expect(readOptions(options)).toEqual({ ...DEFAULTS, result });
	});

	it.each<[Record<string, unknown>, Partial<ResultOptions['item']>]>([
		[{ downloadFiles: 'true' }, { downloadFiles: true }],
		[{ downloadFiles: 'false' }, {}],
	])('reads how to make the item: %j', (options, wanted) => {
		const { wait, item } = DEFAULTS.result;
		const result = { wait, item: { ...item, ...wanted } };
		expect(readOptions(options)).toEqual({ ...DEFAULTS, result });
	});

	it('reads how many jobs may run at a time', () => {
		expect(readOptions({ maxParallelJobs: '1' })).toEqual({ ...DEFAULTS, maxParallel: 1 });
	});

	it.each<[Record<string, unknown>, string]>([
		[{ maxWaitMinutes: 0 }, "'Max Wait (Minutes)' must be greater than 0 (got 0)"],
		[{ maxWaitMinutes: undefined }, "'Max Wait (Minutes)' is empty"],
		[{ maxParallelJobs: 0 }, "'Max Parallel Jobs' must be at least 1 (got 0)"],
		[{ maxParallelJobs: 1.5 }, "'Max Parallel Jobs' is not a whole number: 1.5"],
		[
			{ returnInsteadOfFailing: ['timeout', 'paused'] },
			"'Return Instead of Failing' has no option 'paused'",
		],
		[{ returnInsteadOfFailing: undefined }, "'Return Instead of Failing' is empty"],
		[{ waitWhileTakenOver: 'yes' }, "'Wait While Taken Over' is neither true nor false: 'yes'"],
		[{ downloadFiles: 'yes' }, "'Download Files' is neither true nor false: 'yes'"],
	])('rejects %j', (options, message) => {
		expect(() => readOptions(options)).toThrow(message);
	});
});
