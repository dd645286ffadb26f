import { format, validate, type OutputUnit, type SchemaDraft } from '@cfworker/json-schema';

import { parseUrl } from '../service/baseUrl';

/** A JSON Schema that is an object, not `true` or `false`. */
export type JsonSchema = Record<string, unknown>;

/** A schema that the library can check data by. */
export interface UsableSchema {
	schema: JsonSchema | boolean;
	/** What its references point to, by their text. */
	lookup: Record<string, JsonSchema | boolean>;
}

const MAX_MISMATCHES = 3;
const MAX_REASONS = 10;
// The library reports these in addition to the mismatches within them, which follow in its list.
const CONTAINERS = [
	'$ref',
	'additionalItems',
	'additionalProperties',
	'allOf',
	'dependentSchemas',
	'if',
	'items',
	'patternProperties',
	'prefixItems',
	'properties',
	'unevaluatedItems',
	'unevaluatedProperties',
];
// Mismatches with the schemas within these would mislead, since not all of them have to match.
const ALTERNATIVES = ['anyOf', 'contains', 'not', 'oneOf', 'propertyNames'];

const IPV4 = /^(?:(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

// The library's `validate` looks up formats in the table that it exports, and takes no other. Its
// own check of 'uri' rejects letters that are not ASCII, as browsers show them; that of 'ipv4'
// accepts leading zeros. The table is that of our bundle, so nobody else is affected.
Object.assign(format, {
	uri: (text: string) => parseUrl(text) !== undefined,
	ipv4: (text: string) => IPV4.test(text),
});
// Not a format of JSON Schema, and its pattern takes exponential time.
delete format.url;

/**
 * Returns up to three mismatches of data with a schema, in words; none if it matches. With
 * `mayStop`, the check ends at the first property or entry that has mismatches, which takes much
 * less time. Throws if the library can't use the schema, e.g. one whose references lead in circles.
 */
export function findMismatches(
	data: unknown,
	{ schema, lookup }: UsableSchema,
	mayStop = true,
): string[] {
	const { errors } = validate(data, schema, draftOf(schema), lookup, mayStop);

	const isAlternative = ({ keyword }: OutputUnit) => ALTERNATIVES.includes(keyword);
	const reasons = errors
		.filter(({ keyword }) => !CONTAINERS.includes(keyword))
		.slice(0, MAX_REASONS);
	const misleading = reasons.filter(isAlternative).map((one) => `${one.keywordLocation}/`);
	const mismatches = reasons
		.filter((one) => !misleading.some((start) => one.keywordLocation.startsWith(start)))
		.flatMap((one) => describe(one, valueAt(one.keywordLocation, schema, lookup), data));
	return [...new Set(mismatches)].slice(0, MAX_MISMATCHES);
}

/** Whether data matches a schema. Throws as `findMismatches` does, and takes much less time. */
export function isMatch(data: unknown, { schema, lookup }: UsableSchema): boolean {
	return validate(data, schema, draftOf(schema), lookup, true).valid;
}

function draftOf(schema: JsonSchema | boolean): SchemaDraft {
	return String((schema as JsonSchema).$schema).includes('/draft-0') ? '7' : '2020-12';
}

/** Describes a mismatch in words. `wanted`: the value of its keyword, if it could be found. */
function describe(mismatch: OutputUnit, wanted: unknown, data: unknown): string[] {
	const { keyword, instanceLocation, error } = mismatch;
	const names = namesIn(instanceLocation);
	const path = `'${toPath(names)}'`;
	const actual = valueAt(instanceLocation, data);

	if (keyword === 'false') return [`${path} is not allowed`];
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
 * Returns what is at a JSON Pointer, written as a URI fragment, in data or in a schema, whose
 * references are followed by `lookup`. Undefined if there is nothing, or if the pointer is invalid.
 */
export function valueAt(
	pointer: string,
	root: unknown,
	lookup: UsableSchema['lookup'] = {},
): unknown {
	try {
		return namesIn(pointer).reduce((value, name) => {
			if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
				return undefined;
			const next = (value as JsonSchema)[name];
			return name === '$ref' && typeof next === 'string' ? (lookup[next] ?? next) : next;
		}, root);
	} catch {
		return undefined;
	}
}

function namesIn(pointer: string): string[] {
	const [root, ...names] = pointer.split('/');
	if (root !== '#') throw new Error('it is not a path');
	return names.map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns a path as in an expression, e.g. `items[0].price`; for the whole data, `output`. */
function toPath(names: string[]): string {
	const path = names.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`));
	return path.join('').replace(/^\./, '') || 'output';
}
