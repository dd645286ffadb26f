import type { ParameterContext } from '../../nodes/parameters/field';

/**
 * The parameters of an item, by name; a missing one has the value that the caller falls back to.
 */
export function parameterContext(parameters: Record<string, unknown>): ParameterContext {
	const getNodeParameter = (name: string, _item: number, fallback: unknown) =>
		Object.hasOwn(parameters, name) ? parameters[name] : fallback;
	return { getNodeParameter: getNodeParameter as ParameterContext['getNodeParameter'] };
}
