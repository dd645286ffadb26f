import {
	valuesOf,
	type Fields,
	type ParameterContext,
	type Values,
} from '../../nodes/parameters/field';

/**
 * The parameters of an item, by name; a missing one has the value that the caller falls back to.
 */
export function parameterContext(parameters: Record<string, unknown>): ParameterContext {
	const getNodeParameter = (name: string, _item: number, fallback: unknown) =>
		Object.hasOwn(parameters, name) ? parameters[name] : fallback;
	return { getNodeParameter: getNodeParameter as ParameterContext['getNodeParameter'] };
}

/** The values of fields for an item with these parameters. */
export function valuesIn<F extends Fields>(
	parameters: Record<string, unknown>,
	fields: F,
): Values<F> {
	return valuesOf(parameterContext(parameters), 0, fields);
}
