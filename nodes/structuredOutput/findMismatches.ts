import { Validator, type OutputUnit } from '@cfworker/json-schema';

import { isApplicator, type JsonSchema } from './metaSchema';

/** The end of the message for a mismatch with `false`, a schema that allows nothing. */
export const NOT_ALLOWED = 'is not allowed';

const MAX_MISMATCHES = 3;
const MAX_REASONS = 10;
// Mismatches with the schemas within these keywords would mislead, since not all have to match.
const ALTERNATIVES = ['anyOf', 'contains', 'not', 'oneOf', 'propertyNames'];

/**
 * Returns a function that returns up to three mismatches of data in words, or an empty list if it
 * matches. With `mayStop`, the check ends at the first property or entry that has mismatches. Both
 * throw if the library can't use the schema.
 */
export function createCheck(schema: JsonSchema, mayStop = true): (data: unknown) => string[] {
	const draft = String(schema.$schema).includes('/draft-0') ? '7' : '2020-12';
	const validator = new Validator(schema, draft, mayStop);
	return (data) => toMismatches(validator.validate(data).errors, schema, data);
}

function toMismatches(errors: OutputUnit[], schema: JsonSchema, data: unknown): string[] {
	const isAlternative = ({ keyword }: OutputUnit) => ALTERNATIVES.includes(keyword);
	// Other applicators only report that there are errors within them, which follow in the list.
	const reasons = errors
		.filter((error) => isAlternative(error) || !isApplicator(error.keyword))
		.slice(0, MAX_REASONS);
	const misleading = reasons.filter(isAlternative).map((one) => `${one.keywordLocation}/`);
	const mismatches = reasons
		.filter((one) => !misleading.some((start) => one.keywordLocation.startsWith(start)))
		.flatMap((one) => describe(one, schema, data));
	return [...new Set(mismatches)].slice(0, MAX_MISMATCHES);
}

function describe(mismatch: OutputUnit, schema: JsonSchema, data: unknown): string[] {
	const { keyword, instanceLocation, keywordLocation, error } = mismatch;
	const names = namesIn(instanceLocation);
	const path = `'${toPath(names)}'`;
	const actual = names.reduce((value, name) => (value as JsonSchema)[name], data);
	const wanted = valueAt(keywordLocation, schema);
	if (keyword === 'false') return [`${path} ${NOT_ALLOWED}`];
	if (wanted === undefined || ALTERNATIVES.includes(keyword)) {
		return [`${path} does not match ${keyword} (${error.replace(/\.$/, '')})`];
	}
	if (keyword === 'required') {
		const missing = (wanted as string[]).filter((name) => !Object.hasOwn(actual as object, name));
		return missing.map((name) => `'${toPath([...names, name])}' is missing`);
	}
	if (keyword === 'type') {
		const type = Object.prototype.toString.call(actual).slice('[object '.length, -1).toLowerCase();
		const types: unknown[] = Array.isArray(wanted) ? wanted : [wanted];
		return [`${path} must be ${types.join(' or ')}, not ${type}`];
	}
	if (keyword === 'enum') {
		const choices = (wanted as unknown[]).map((choice) => JSON.stringify(choice));
		return [`${path} must be one of ${choices.join(', ')}`];
	}
	return [`${path} does not match ${keyword} ${JSON.stringify(wanted)}`];
}

/**
 * Returns what is at a JSON Pointer in a schema, or undefined if there is nothing. The pointer may
 * lead through a `$ref`, which is resolved unless it refers to an anchor.
 */
export function valueAt(location: string, schema: JsonSchema): unknown {
	return namesIn(location).reduce<unknown>((value, name) => {
		const next = (value as JsonSchema | undefined)?.[name];
		if (name !== '$ref' || typeof next !== 'string') return next;
		return /^#(?:\/|$)/.test(next) ? valueAt(next, schema) : undefined;
	}, schema);
}

function namesIn(pointer: string): string[] {
	const [, ...names] = pointer.split('/');
	return names.map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns a path as in an expression, e.g. `items[0].price`; for the whole output, `output`. */
export function toPath(names: string[]): string {
	const path = names.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`));
	return path.join('').replace(/^\./, '') || 'output';
}
