import type { OutputUnit } from '@cfworker/json-schema';

import { rethrown } from '../errors/ServiceError';
import { adaptSchema } from './adaptSchema';
import type { Budget } from './compilePattern';
import type { JsonSchema } from './subschemas';

// About a second.
const MAX_STEPS = 3_000_000;

/**
 * Checks data against a schema, given as JSON text, in which `findSchemaError` has found no error.
 * Returns what the library says of each mismatch. Throws if a second or two is not enough for that.
 */
export async function validate(
	data: unknown,
	schemaText: string,
	maxSteps = MAX_STEPS,
): Promise<OutputUnit[]> {
	// Loaded by the first check of the process.
	const { format: formats, Validator } = await import('@cfworker/json-schema');
	const findMismatches = (isOneEnough: boolean) => {
		const schema = JSON.parse(schemaText) as JsonSchema;
		const patterns = adaptSchema(schema, data, createBudget(maxSteps));
		// The library has no other way to add a check. Nothing else runs meanwhile.
		Object.assign(formats, patterns);
		try {
			return new Validator(schema, '2020-12', isOneEnough).validate(data).errors;
		} finally {
			for (const name of Object.keys(patterns)) delete formats[name];
		}
	};
	// One is enough if there are more than the library can collect. It can't check very many levels.
	for (const isOneEnough of [false, true]) {
		try {
			return findMismatches(isOneEnough);
		} catch (error) {
			if (!(error instanceof RangeError)) throw rethrown(error);
		}
	}
	throw new Error('there are too many levels');
}

function createBudget(maxSteps: number): Budget {
	let left = maxSteps;
	return {
		spend(steps) {
			left -= steps;
			if (left < 0) throw new Error('it takes too long');
		},
	};
}
