import type {
	INodeProperties,
	INodePropertyOptions,
	IPollFunctions,
	NodeParameterValue,
} from 'n8n-workflow';

import { NodeFailure } from '../errors/NodeFailure';
import { toNodeFailure } from '../errors/toNodeFailure';
import { isObject } from '../isObject';
import {
	hasLostObject,
	lostObjectHint,
	toBoolean,
	toChoice,
	toChoices,
	toNumber,
	toRequiredText,
	toSentText,
} from './values';

/** What parameters are read from. */
export interface ParameterContext {
	getNodeParameter(name: string, itemIndex: number, fallback?: unknown): unknown;
	/** Shows the user a hint about a value that may be a mistake. If unset, there are no hints. */
	showHint?(message: string): void;
}

/** Lets the parameters of a trigger, which has no items, be read like those of an item. */
export function toParameterContext(context: IPollFunctions): ParameterContext {
	return {
		getNodeParameter: (name, _item, fallback) => context.getNodeParameter(name, fallback),
	};
}

/** A parameter: what the editor shows, and how its value is read. */
export interface Field<T> {
	property: INodeProperties;
	/**
	 * Converts the parameter's value. Throws a `NodeFailure` with its display name for an invalid
	 * one.
	 */
	read(value: unknown): T;
}

/** The property of a dropdown or multi-select whose values are text. */
interface Choices<T extends string> extends INodeProperties {
	options: Array<INodePropertyOptions & { value: T }>;
}

type Fields = Record<string, Field<unknown>>;

/** The values of a collection's options. */
export type Values<F extends Fields> = { [Name in keyof F]: ReturnType<F[Name]['read']> };

/** Creates a field for text, read without surrounding whitespace. */
export function text(property: INodeProperties): Field<string> {
	return { property, read: (value) => toSentText(value, property.displayName).trim() };
}

/** Creates a field for text that must not be blank, read with surrounding whitespace. */
export function requiredText(property: INodeProperties): Field<string> {
	return { property, read: (value) => toRequiredText(value, property.displayName) };
}

/** Creates a field for a boolean, which an expression can also yield as text. */
export function boolean(property: INodeProperties): Field<boolean> {
	return { property, read: (value) => toBoolean(value, property.displayName) };
}

/** Creates a field for a number of at least `min` or, without `min`, greater than 0. */
export function number({ min, ...property }: INodeProperties & { min?: number }): Field<number> {
	return {
		property: { ...property, typeOptions: { minValue: min ?? 0 } },
		read: (value) => toNumber(value, property.displayName, { min }),
	};
}

/** Creates a field for a whole number within `bounds` (inclusive). */
export function wholeNumber({
	bounds,
	...property
}: INodeProperties & { bounds: { min: number; max?: number } }): Field<number> {
	const { min: minValue, max: maxValue } = bounds;
	return {
		property: { ...property, typeOptions: { minValue, maxValue, numberPrecision: 0 } },
		read: (value) => toNumber(value, property.displayName, { ...bounds, isWhole: true }),
	};
}

/** Creates a field for a dropdown, read as the value of one of its options. */
export function choice<T extends string>(property: Choices<T>): Field<T> {
	const values = property.options.map(({ value }) => value);
	return { property, read: (value) => toChoice(value, property.displayName, values) };
}

/** Creates a field for a multi-select, read as values of its options in their order. */
export function choices<T extends string>(property: Choices<T>): Field<T[]> {
	const values = property.options.map(({ value }) => value);
	return { property, read: (value) => toChoices(value, property.displayName, values) };
}

/** Returns a copy of a field with another description. */
export function withDescription<T>({ property, read }: Field<T>, description: string): Field<T> {
	return { property: { ...property, description }, read };
}

/** Returns a copy of a field that is hidden where the node is a tool of an AI agent. */
export function notInTools<T>({ property, read }: Field<T>): Field<T> {
	const { displayOptions } = property;
	const hide = { ...displayOptions?.hide, '@tool': [true] };
	return { property: { ...property, displayOptions: { ...displayOptions, hide } }, read };
}

/** Returns a copy of a property that is also hidden unless other parameters have these values. */
export function shownWhen(
	{ displayOptions, ...property }: INodeProperties,
	conditions: Record<string, NodeParameterValue[]>,
): INodeProperties {
	const show = { ...displayOptions?.show, ...conditions };
	return { ...property, displayOptions: { ...displayOptions, show } };
}

/** Reads a parameter of an item; unset, it has its default. Throws what `Field.read` throws. */
export function readField<T>(context: ParameterContext, itemIndex: number, field: Field<T>): T {
	const { property } = field;
	return readValue(context, field, evaluate(context, itemIndex, property, property.default));
}

/**
 * Returns a parameter's value. If n8n can't evaluate an expression in it, throws a `NodeFailure`
 * with the parameter's display name, which n8n's own error lacks.
 */
function evaluate(
	context: ParameterContext,
	itemIndex: number,
	{ name, displayName }: Pick<INodeProperties, 'name' | 'displayName'>,
	unset: unknown,
): unknown {
	try {
		return context.getNodeParameter(name, itemIndex, unset);
	} catch (error) {
		throw expressionError(displayName, error);
	}
}

function expressionError(displayName: string, error: unknown): NodeFailure {
	const described = toNodeFailure(error);
	return new NodeFailure(`'${displayName}': ${described.message}`, described.details, described);
}

function readValue<T>(
	{ showHint }: ParameterContext,
	{ property, read }: Field<T>,
	value: unknown,
): T {
	const result = read(value);
	if (hasLostObject(value)) showHint?.(lostObjectHint(property.displayName));
	return result;
}

/** The collections of the node, with the names that users see. */
export const COLLECTIONS = { browserConfig: 'Browser Options', options: 'Options' };

/**
 * Reads the options of a collection. One that the user has not added has its default. Throws what
 * `Field.read` throws, and a `NodeFailure` if an expression yields something else than an object:
 * ignored, it might start a job in another browser than the user's own.
 */
export function readCollection<F extends Fields>(
	context: ParameterContext,
	itemIndex: number,
	name: keyof typeof COLLECTIONS,
	fields: F,
): Values<F> {
	const defaults = Object.entries(fields).map(([option, { property, read }]) => {
		return [option, read(property.default)];
	});
	const added = readAddedOptions(context, itemIndex, name, fields);
	return { ...(Object.fromEntries(defaults) as Values<F>), ...added };
}

/**
 * Reads only the options that the user has added to a collection. If an option was added with an
 * expression that yields undefined, it is read, too, so that it is reported as invalid. Throws what
 * `readCollection` throws.
 */
export function readAddedOptions<F extends Fields>(
	context: ParameterContext,
	itemIndex: number,
	name: keyof typeof COLLECTIONS,
	fields: F,
): Partial<Values<F>> {
	const displayName = COLLECTIONS[name];
	const collection = evaluate(context, itemIndex, { name, displayName }, {});
	const added = toOptions(collection, displayName);
	const values = Object.entries(fields).flatMap(([option, field]) =>
		Object.hasOwn(added, option) ? [[option, readValue(context, field, added[option])]] : [],
	);
	return Object.fromEntries(values) as Partial<Values<F>>;
}

function toOptions(collection: unknown, displayName: string): Record<string, unknown> {
	if (collection === undefined || collection === null || collection === '') return {};
	if (isObject(collection)) return collection;
	throw new NodeFailure(`'${displayName}' must be an object`, {
		description: 'Remove the expression, and add the options one by one.',
	});
}

/** Returns the properties of fields, sorted by display name as n8n's lint rules demand. */
export function sortedProperties(fields: Fields): INodeProperties[] {
	// Not `localeCompare`, which loads some 5 MB of collation rules on its first use.
	return Object.values(fields)
		.map(({ property }) => property)
		.sort((one, other) => (one.displayName < other.displayName ? -1 : 1));
}
