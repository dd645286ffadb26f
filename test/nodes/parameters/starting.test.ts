import { readCollection } from '../../../nodes/parameters/field';
import { START_OPTIONS } from '../../../nodes/parameters/starting';
import { parameterContext } from '../../support/parameterContext';

function read(options: Record<string, unknown>) {
	return readCollection(parameterContext({ options }), 0, 'options', START_OPTIONS);
}

describe('The options of a start', () => {
	it.each<[Record<string, unknown>, object]>([
		[{}, {}],
		[{ minimumCredits: 0 }, { minimumCredits: 0 }],
		[{ minimumCredits: '100' }, { minimumCredits: 100 }],
		[{ onStop: 'pause' }, { onStop: 'pause' }],
		[{ onStop: 'leave' }, { onStop: 'leave' }],
	])('are read: %j', (options, values) => {
		expect(read(options)).toStrictEqual(values);
	});

	it.each<[Record<string, unknown>, string]>([
		[{ minimumCredits: -1 }, "'Minimum Credits' must be at least 0 (got -1)"],
		[{ minimumCredits: 1.5 }, "'Minimum Credits' is not a whole number: 1.5"],
		[{ onStop: 'stop' }, "'On Stop' has no option 'stop'"],
	])('are rejected: %j', (options, message) => {
		expect(() => read(options)).toThrow(message);
	});
});
