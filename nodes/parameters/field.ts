import type {
	INodeProperties,
	INodePropertyOptions,
	IPollFunctions,
	NodeParameterValue,
} from 'n8n-workflow';

import { toBoolean, toChoice, toNumber, toRequiredText, toSentText } from './values';

/** What parameters are read from. */
export interface ParameterContext {
	getNodeParameter(name: string, item: number, fallback?: unknown): unknown;
}

/** The parameters of a trigger, which has no items. */
export function toParameterContext(context: IPollFunctions): ParameterContext {
	return {
		getNodeParameter: (name, _item, fallback) => context.getNodeParameter(name, fallback),
	};
}

/** A parameter: what the editor shows, and beside it how its value is read. */
export interface Field<T> {
	property: INodeProperties;
	/** Throws a `UserError` that names the parameter as it is on the screen. */
	read(value: unknown): T;
}

/** What the editor shows of a dropdown whose values are text. */
interface Dropdown<T extends string> extends INodeProperties {
	options: Array<INodePropertyOptions & { value: T }>;
}

type Fields = Record<string, Field<unknown>>;

/** The values of a collection; what the user has not added is undefined. */
export type Values<F extends Fields> = { [Name in keyof F]?: ReturnType<F[Name]['read']> };

/** Text without surrounding space. */
export function text(property: INodeProperties): Field<string> {
	return { property, read: (value) => toSentText(value, property.displayName).trim() };
}

/** Text that must not be blank. */
export function requiredText(property: INodeProperties): Field<string> {
	return { property, read: (value) => toRequiredText(value, property.displayName) };
}

export function boolean(property: INodeProperties): Field<boolean> {
	return { property, read: (value) => toBoolean(value, property.displayName) };
}

/** A number of at least `min`, or greater than 0. */
export function number({ min, ...property }: INodeProperties & { min?: number }): Field<number> {
	return {
		property: { ...property, typeOptions: { minValue: min ?? 0 } },
		read: (value) => toNumber(value, property.displayName, { min }),
	};
}

/** A whole number within bounds, both included. */
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

/** One of the options of a dropdown. */
export function choice<T extends string>(property: Dropdown<T>): Field<T> {
	const values = property.options.map(({ value }) => value);
	return { property, read: (value) => toChoice(value, property.displayName, values) };
}

/** The same parameter, hidden where the node is a tool of an AI agent. */
export function notInTools<T>({ property, read }: Field<T>): Field<T> {
	const { displayOptions } = property;
	const hide = { ...displayOptions?.hide, '@tool': [true] };
	return { property: { ...property, displayOptions: { ...displayOptions, hide } }, read };
}

/** The same property, shown only while other parameters have certain values, too. */
export function shownWhen(
	{ displayOptions, ...property }: INodeProperties,
	conditions: Record<string, NodeParameterValue[]>,
): INodeProperties {
	const show = { ...displayOptions?.show, ...conditions };
	return { ...property, displayOptions: { ...displayOptions, show } };
}

/** Reads a parameter of an item. */
export function readField<T>(
	context: ParameterContext,
	item: number,
	{ property, read }: Field<T>,
): T {
	return read(context.getNodeParameter(property.name, item, property.default));
}

/**
 * Reads what the user has added to a collection. An option whose value is undefined was added with
 * an expression, and is read like the others, so that it is reported.
 */
export function readCollection<F extends Fields>(
	context: ParameterContext,
	item: number,
	name: string,
	fields: F,
): Values<F> {
	const collection = context.getNodeParameter(name, item, {});
	const added = typeof collection === 'object' && collection !== null ? collection : {};
	const values = Object.entries(fields).flatMap(([name, { read }]) =>
		Object.hasOwn(added, name) ? [[name, read((added as Record<string, unknown>)[name])]] : [],
	);
	return Object.fromEntries(values) as Values<F>;
}

/** What the editor shows of fields, in the order of their names on the screen, as n8n wants it. */
export function sortedProperties(fields: Fields): INodeProperties[] {
	// `localeCompare` would load more than the rest of the package.
	return Object.values(fields)
		.map(({ property }) => property)
		.sort((one, other) => (one.displayName < other.displayName ? -1 : 1));
}
