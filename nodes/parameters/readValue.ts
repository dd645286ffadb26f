import type { IExecuteFunctions } from 'n8n-workflow';

import type { WholeNumberBounds } from '../service/models';
import { UserError } from '../errors/UserError';

/** What parameters are read from. */
export type ParameterContext = Pick<IExecuteFunctions, 'getNodeParameter'>;

// All readers take what n8n hands over, which after an expression can be anything, and the field's
// name as on the screen. They throw a `UserError` that names the field.

/** A value as text: numbers and booleans as written, objects as JSON; unset is ''. */
export function toText(value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value;
	if (typeof value !== 'object') return String(value as number | boolean);
	// A date is one in JSON, too, and no object any more.
	const json = JSON.stringify(value);
	return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** Text that must not be blank. */
export function toRequiredText(value: unknown, field: string): string {
	const text = toText(value);
	if (text.trim() === '') throw isEmpty(field);
	return text;
}

/** A number, also one written as text. */
export function toNumber(value: unknown, field: string): number {
	if (toText(value).trim() === '') throw isEmpty(field);
	const isWritten = typeof value === 'string' && value.trim() !== '';
	const number = isWritten ? Number(value) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) {
		throw new UserError(`'${field}' is not a number: ${shown(value)}`, {
			description: `Enter a number in '${field}'. If it is an expression, look at what it gives for this item.`,
		});
	}
	return number;
}

/** A whole number within bounds, both ends included; without `max` there is no upper end. */
export function toWholeNumber(
	value: unknown,
	field: string,
	{ min, max }: Pick<WholeNumberBounds, 'min'> & Partial<WholeNumberBounds>,
): number {
	const number = toNumber(value, field);
	if (!Number.isInteger(number)) {
		throw new UserError(`'${field}' is not a whole number: ${number}`, {
			description: `Enter a number without a fraction in '${field}'.`,
		});
	}
	if (number < min || (max !== undefined && number > max)) {
		const range = max === undefined ? `${min} or more` : `from ${min} to ${max}`;
		throw new UserError(`'${field}' has to be ${range}, and is ${number}`, {
			description: `Enter a number ${range} in '${field}'.`,
		});
	}
	return number;
}

/** A yes or no, also one written as text. */
export function toBoolean(value: unknown, field: string): boolean {
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw new UserError(`'${field}' is neither true nor false: ${shown(value)}`, {
		description: `If '${field}' is an expression, look at what it gives for this item.`,
	});
}

/** One of the choices of a list. */
export function toChoice<T extends string>(
	value: unknown,
	field: string,
	choices: readonly T[],
): T {
	if (toText(value).trim() === '') throw isEmpty(field);
	const choice = choices.find((one) => one === value);
	if (choice === undefined) {
		throw new UserError(`'${field}' has no choice ${shown(value)}`, {
			description: `Choose one of: ${choices.join(', ')}.`,
		});
	}
	return choice;
}

/** The fields of a collection that were added; a field without a value is among them. */
export function readCollection(
	context: ParameterContext,
	name: string,
	itemIndex: number,
): Record<string, unknown> {
	const value = context.getNodeParameter(name, itemIndex, {});
	return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isEmpty(field: string): UserError {
	return new UserError(`'${field}' is empty`, {
		description: `Fill in '${field}'. If it is an expression, look at what it gives for this item.`,
	});
}

const LONGEST_SHOWN = 60;

function shown(value: unknown): string {
	const text = toText(value);
	if (text.trim() === '') return 'it is empty';
	return text.length > LONGEST_SHOWN ? `'${text.slice(0, LONGEST_SHOWN)}…'` : `'${text}'`;
}
