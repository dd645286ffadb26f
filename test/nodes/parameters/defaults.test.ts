import { FILE_OPTIONS } from '../../../nodes/BrowserAgent/operations/jobFile';
import { START_OPTIONS } from '../../../nodes/BrowserAgent/operations/startJob';
import { propertiesOf, type Fields } from '../../../nodes/parameters/field';
import { optionsField } from '../../../nodes/parameters/options';
import { DEFAULT_MAX_WAIT_MINUTES, WAIT_OPTIONS } from '../../../nodes/parameters/waiting';
import { valuesIn } from '../../support/parameterContext';

/** The options of a collection to which a user has added all of this kind, and changed none. */
function allAdded(fields: Fields): object {
	const added = propertiesOf(fields).map(({ name, default: initial }) => [name, initial]);
	return Object.fromEntries(added) as object;
}

function read(fields: Fields, options: object): object {
	return { ...valuesIn({ options }, { options: optionsField(fields) }).options };
}

describe('Options that a user adds, and changes none of, change nothing', () => {
	it('of a wait, but for the maximum, which can depend on other parameters', () => {
		expect(read(WAIT_OPTIONS, allAdded(WAIT_OPTIONS))).toEqual({
			...read(WAIT_OPTIONS, {}),
			maxWaitMinutes: DEFAULT_MAX_WAIT_MINUTES,
		});
	});

	it.each([
		['a start', START_OPTIONS],
		['a download', FILE_OPTIONS],
	])('of %s', (_label, fields) => {
		expect(read(fields, allAdded(fields))).toEqual(read(fields, {}));
	});
});
