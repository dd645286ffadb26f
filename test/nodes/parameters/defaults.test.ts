import type { INodeProperties } from 'n8n-workflow';

import { FILE_OPTIONS, readFileOptions } from '../../../nodes/BrowserAgent/operations/jobFile';
import { START_OPTIONS, readStartOptions } from '../../../nodes/BrowserAgent/operations/startJob';
import type { Field, ParameterContext } from '../../../nodes/parameters/field';
import {
	DEFAULT_MAX_WAIT_MINUTES,
	readJobOptions,
	WAIT_OPTIONS,
} from '../../../nodes/parameters/waiting';
import { parameterContext } from '../../support/parameterContext';

/** A collection to which a user has added all options of this kind, and changed none. */
function allAdded(fields: Record<string, Field<unknown>>): ParameterContext {
	const properties = Object.values(fields).map(({ property }) => property);
	const options = properties.map(({ name, default: initial }: INodeProperties) => [name, initial]);
	return parameterContext({ options: Object.fromEntries(options) as object });
}

const NOTHING_ADDED = parameterContext({});

describe('Options that a user adds, and changes none of, change nothing', () => {
	it('of a wait', () => {
		const read = (context: ParameterContext) =>
			readJobOptions(context, 0, DEFAULT_MAX_WAIT_MINUTES);

		expect(read(allAdded(WAIT_OPTIONS))).toEqual(read(NOTHING_ADDED));
	});

	it('of a start', () => {
		const read = (context: ParameterContext) => readStartOptions(context, 0);

		expect(read(allAdded(START_OPTIONS))).toEqual(read(NOTHING_ADDED));
	});

	it('of a download', () => {
		const read = (context: ParameterContext) => readFileOptions(context, 0);

		expect(read(allAdded(FILE_OPTIONS))).toEqual(read(NOTHING_ADDED));
	});
});
