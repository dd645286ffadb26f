import type { IExecuteFunctions } from 'n8n-workflow';

import { isObject } from '../isObject';

/** What gives another value each time it is evaluated, and what stands for it. */
const VOLATILE: Array<[RegExp, string]> = [
	[/\$now\b|\$today\b|\bDateTime\.(?:now|local|utc)\(\)/g, 'DateTime.fromMillis(0)'],
	[/\bnew Date\(\)/g, 'new Date(0)'],
	[/\bDate\.now\(\)|\bMath\.random\(\)|\$runIndex\b/g, '0'],
];

/**
 * Returns the values of all parameters that a tool has set, in the order of their names, to tell
 * equal calls. The time, random numbers and n8n's count of the tool's runs don't make calls
 * unequal: expressions are evaluated as if these were always the same.
 */
export function comparableParameters(context: IExecuteFunctions, index: number): unknown[] {
	const { parameters } = context.getNode();
	return Object.keys(parameters)
		.sort()
		.map((name) => {
			const steady = makeSteady(parameters[name]);
			const isVolatile = JSON.stringify(steady) !== JSON.stringify(parameters[name]);
			const value = isVolatile
				? evaluate(context, index, steady)
				: context.getNodeParameter(name, index, null);
			return [name, value];
		});
}

/** Replaces what is volatile in all expressions of a parameter. */
function makeSteady(parameter: unknown): unknown {
	return mapTexts(parameter, (text) => {
		if (!text.startsWith('=')) return text;
		return VOLATILE.reduce((rest, [pattern, fixed]) => rest.replace(pattern, fixed), text);
	});
}

/** Evaluates the expressions in a parameter; one that can't be evaluated stands for itself. */
function evaluate(context: IExecuteFunctions, index: number, parameter: unknown): unknown {
	return mapTexts(parameter, (text) => {
		if (!text.startsWith('=')) return text;
		try {
			return context.evaluateExpression(text.slice(1), index);
		} catch {
			return text;
		}
	});
}

/** Returns a parameter with all texts in it replaced, at any depth. */
function mapTexts(value: unknown, replace: (text: string) => unknown): unknown {
	if (typeof value === 'string') return replace(value);
	if (Array.isArray(value)) return value.map((one) => mapTexts(one, replace));
	if (!isObject(value)) return value;
	const entries = Object.entries(value);
	return Object.fromEntries(entries.map(([name, one]) => [name, mapTexts(one, replace)]));
}
