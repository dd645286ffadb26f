import {
	requireSingleAttempt,
	START_OPTIONS,
} from '../../../../nodes/BrowserAgent/operations/startJob';
import { optionsField } from '../../../../nodes/parameters/options';
import { valuesIn } from '../../../support/parameterContext';

function read(maxAttempts: unknown, suspends = false): number {
	const options = maxAttempts === 'not set' ? {} : { maxAttempts };
	const values = valuesIn({ options }, { options: optionsField(START_OPTIONS) });
	const { maxAttempts: attempts } = values.options;
	requireSingleAttempt(attempts, suspends);
	return attempts;
}

describe("'Max Attempts'", () => {
	it.each<[unknown, number]>([
		['not set', 1],
		[1, 1],
		['5', 5],
	])('%p is read as %p', (value, expected) => {
		expect(read(value)).toBe(expected);
	});

	it.each<[unknown, string]>([
		[0, "'Max Attempts' must be between 1 and 5 (got 0)"],
		[6, "'Max Attempts' must be between 1 and 5 (got 6)"],
		[1.5, "'Max Attempts' is not a whole number: 1.5"],
		[null, "'Max Attempts' is empty"],
	])('rejects %p', (value, message) => {
		expect(() => read(value)).toThrow(message);
	});

	it.each<[unknown]>([['not set'], [1]])('%p can be combined with a suspended wait', (value) => {
		expect(() => read(value, true)).not.toThrow();
	});

	it('2 cannot be combined with a suspended wait', () => {
		expect(() => read(2, true)).toThrow(
			"'Max Attempts' can't be combined with 'Suspend While Waiting'",
		);
	});
});
