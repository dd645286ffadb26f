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
	 * one. `showHint`: as `ParameterContext` has it, for the options of a collection.
	 */
	read(value: unknown, showHint?: ParameterContext['showHint']): T;
	/** Returns the value of an option that the user has not added. Default: that of its default. */
	unset?(): T;
}

/** The property of a dropdown or multi-select whose values are text. */
interface Choices<T extends string> extends INodeProperties {
	options: Array<INodePropertyOptions & { value: T }>;
}

/** Fields by the names of their parameters, in the order in which the editor shows them. */
export type Fields = Record<string, Field<unknown>>;

/** The values of fields. Each is evaluated and read once, when it is first asked for. */
export type Values<F extends Fields> = {
	readonly [Name in keyof F]: ReturnType<F[Name]['read']>;
};

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
export function withDescription<T>(field: Field<T>, description: string): Field<T> {
	return { ...field, property: { ...field.property, description } };
}

/** Returns a copy of a field that is hidden where the node is a tool of an AI agent. */
export function notInTools<T>(field: Field<T>): Field<T> {
	const { displayOptions } = field.property;
	const hide = { ...displayOptions?.hide, '@tool': [true] };
	return {
		...field,
		property: { ...field.property, displayOptions: { ...displayOptions, hide } },
	};
}

/** Returns a copy of an option that has no value unless the user has added it. */
export function optional<T>({ property, read }: Field<T>): Field<T | undefined> {
	return { property, read, unset: () => undefined };
}

/** Returns a copy of fields whose properties `change` has changed. */
export function withProperties<F extends Fields>(
	fields: F,
	change: (property: INodeProperties) => INodeProperties,
): F {
	const changed = Object.entries(fields).map(([name, field]) => {
		return [name, { ...field, property: change(field.property) }];
	});
	return Object.fromEntries(changed) as F;
}

/** Returns a copy of a property that is also hidden unless other parameters have these values. */
export function shownWhen(
	{ displayOptions, ...property }: INodeProperties,
	conditions: Record<string, NodeParameterValue[]>,
): INodeProperties {
	const show = { ...displayOptions?.show, ...conditions };
	return { ...property, displayOptions: { ...displayOptions, show } };
}

/**
 * Creates a field for a collection, read as the values of its options. An option that the user has
 * not added has its default, unless it is `optional`. One that was added with an expression that
 * yields undefined is read, too, so that it is reported as invalid.
 *
 * Throws a `NodeFailure` if an expression yields something else than an object: ignored, it might
 * start a job in another browser than the user's own.
 */
export function collection<F extends Fields>(
	property: Pick<INodeProperties, 'displayName' | 'name' | 'placeholder'>,
	options: F,
): Field<Values<F>> {
	return {
		property: {
			...property,
			type: 'collection',
			default: {},
			options: sortedProperties(options),
		},
		read(value, showHint) {
			const added = toOptions(value, property.displayName);
			return valuesBy(options, (name, option) => {
				if (Object.hasOwn(added, name)) return readValue(option, added[name], showHint);
				return option.unset ? option.unset() : option.read(option.property.default);
			});
		},
	};
}

/** Returns the properties of fields, in their order. */
export function propertiesOf(fields: Fields): INodeProperties[] {
	return Object.values(fields).map(({ property }) => property);
}

/**
 * Returns the values of an item's parameters; an unset one has its default. To ask for a value
 * throws what `Field.read` throws.
 */
export function valuesOf<F extends Fields>(
	context: ParameterContext,
	itemIndex: number,
	fields: F,
): Values<F> {
	return valuesBy(fields, (_name, field) => {
		return readValue(field, evaluate(context, itemIndex, field.property), context.showHint);
	});
}

function valuesBy<F extends Fields>(
	fields: F,
	valueOf: (name: string, field: Field<unknown>) => unknown,
): Values<F> {
	const values = {};
	for (const [name, field] of Object.entries(fields)) {
		const get = () => {
			const value = valueOf(name, field);
			Object.defineProperty(values, name, { value, enumerable: true });
			return value;
		};
		Object.defineProperty(values, name, { get, enumerable: true, configurable: true });
	}
	return values as Values<F>;
}

/**
 * Returns a parameter's value. If n8n can't evaluate an expression in it, throws a `NodeFailure`
 * with the parameter's display name, which n8n's own error lacks.
 */
function evaluate(
	context: ParameterContext,
	itemIndex: number,
	{ name, displayName, default: unset }: INodeProperties,
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
	{ property, read }: Field<T>,
	value: unknown,
	showHint: ParameterContext['showHint'],
): T {
	const result = read(value, showHint);
	// A collection shows the hints of its options.
	if (property.type !== 'collection' && hasLostObject(value)) {
		showHint?.(lostObjectHint(property.displayName));
	}
	return result;
}

function toOptions(value: unknown, displayName: string): Record<string, unknown> {
	if (value === undefined || value === null || value === '') return {};
	if (isObject(value)) return value;
	throw new NodeFailure(`'${displayName}' must be an object`, {
		description: 'Remove the expression, and add the options one by one.',
	});
}

/** Returns the properties of fields, sorted by display name as n8n's lint rules demand. */
export function sortedProperties(fields: Fields): INodeProperties[] {
	// Not `localeCompare`, which loads some 5 MB of collation rules on its first use.
	return propertiesOf(fields).sort((one, other) => (one.displayName < other.displayName ? -1 : 1));
}
