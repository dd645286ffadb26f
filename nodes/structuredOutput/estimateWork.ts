import { isObject } from '../isObject';
import { valueAt } from './findMismatches';
import { schemasIn, type JsonSchema } from './metaSchema';

// For `uniqueItems` the library compares each entry of a list with each other entry.
const MAX_UNIQUE_ENTRIES = 2_000;
// Each of these takes as long as checking one value against a simple schema, about 1 µs:
const COMPARED_VALUES = 20;
const STRING_CHARACTERS = 100;
const ENUM_CHARACTERS = 250;
const NAMED_PROPERTIES = 4;
// In an object with more than `MAX_FAST_PROPERTIES`, each property takes `SLOW_PROPERTY_WORK` more.
const MAX_FAST_PROPERTIES = 1_000;
const SLOW_PROPERTY_WORK = 10;
// The work of a schema with a `$ref`, in addition to that of its target.
const REFERENCE_WORK = 0.25;

/** The part of the work that depends on the data alone. */
interface Size {
	/** The work of checking each value against a simple schema. */
	work: number;
	/** The number of objects. */
	objects: number;
	/** How many values are compared if the entries of each list must be unique. */
	comparisons: number;
}

/**
 * Estimates the work of checking `data` against a schema that `readSchema` returned. The unit is
 * the check of one value against a simple schema, about 1 µs. Errs on the high side, except for
 * schemas that contain themselves in several alternatives.
 */
export function estimateWork(data: unknown, schema: JsonSchema): number {
	const size: Size = { work: 0, objects: 0, comparisons: 0 };
	measure(data, size);
	const schemas = [...schemasIn(schema)];
	const isUnique = schemas.some(({ uniqueItems }) => uniqueItems === true);
	const work =
		size.work +
		(size.objects * Math.max(0, ...schemas.map(namesIn))) / NAMED_PROPERTIES +
		(isUnique ? size.comparisons / COMPARED_VALUES : 0);
	return work * new CheckCounter(schema, schemas).countFor(schema);
}

/** Adds the size of a value to `size`. Returns how many values it consists of, itself included. */
function measure(value: unknown, size: Size): number {
	size.work += 1 + (typeof value === 'string' ? value.length / STRING_CHARACTERS : 0);
	if (typeof value !== 'object' || value === null) return 1;

	const inner = Object.values(value);
	let values = 1;
	for (const one of inner) values += measure(one, size);
	if (Array.isArray(value)) {
		size.comparisons += inner.length > MAX_UNIQUE_ENTRIES ? Infinity : inner.length * values;
	} else {
		size.objects++;
		for (const name of Object.keys(value)) size.work += name.length / STRING_CHARACTERS;
		if (inner.length > MAX_FAST_PROPERTIES) size.work += inner.length * SLOW_PROPERTY_WORK;
	}
	return values;
}

/** Returns how many property names the library looks up in an object because of a schema. */
function namesIn({
	properties,
	required,
	dependentRequired,
	dependentSchemas,
}: JsonSchema): number {
	return [properties, required, dependentRequired, dependentSchemas].reduce<number>(
		(sum, named) => sum + valuesOf(named).length,
		0,
	);
}

/** Counts the checks that a schema may make of one value. A simple schema makes one. */
class CheckCounter {
	/** The counts so far, by schema. */
	private readonly known = new Map<unknown, number>();

	constructor(
		private readonly root: JsonSchema,
		private readonly schemas: JsonSchema[],
	) {}

	countFor(schema: unknown): number {
		// `true` and `false` take no time.
		if (!isObject(schema)) return 0;
		const known = this.known.get(schema);
		if (known !== undefined) return known;
		// A recursive schema checks nested values there, not this one, so it adds nothing.
		this.known.set(schema, 0);
		const countForChildren = Math.max(
			this.countForProperties(schema),
			this.countForEntries(schema),
		);
		const count = this.countForSameValue(schema) + Math.max(ownWork(schema), countForChildren);
		this.known.set(schema, count);
		return count;
	}

	/** Returns the count for the schemas that check the same value as `schema`. */
	private countForSameValue(schema: JsonSchema): number {
		return this.sumOf([
			this.targetOf(schema.$ref),
			schema.not,
			schema.if,
			schema.then,
			schema.else,
			...valuesOf(schema.allOf),
			...valuesOf(schema.anyOf),
			...valuesOf(schema.oneOf),
			...valuesOf(schema.dependentSchemas),
		]);
	}

	/**
	 * Returns the count for one property: the largest count among the schemas of which only one
	 * applies, plus the counts of all others.
	 */
	private countForProperties(schema: JsonSchema): number {
		const alternatives = [...valuesOf(schema.properties), schema.additionalProperties];
		const others = [
			...valuesOf(schema.patternProperties),
			schema.propertyNames,
			schema.unevaluatedProperties,
		];
		return this.largestOf(alternatives) + this.sumOf(others);
	}

	/** Returns the count for one entry, as `countForProperties` does for a property. */
	private countForEntries(schema: JsonSchema): number {
		const { items, prefixItems, additionalItems, contains, unevaluatedItems } = schema;
		const alternatives = [items, additionalItems, ...valuesOf(prefixItems)].flat();
		return this.largestOf(alternatives) + this.sumOf([contains, unevaluatedItems]);
	}

	/** Returns the schema to which a `$ref` leads, or undefined without one. */
	private targetOf($ref: unknown): unknown {
		if (typeof $ref !== 'string') return undefined;
		const isAnchor = !/^#(?:\/|$)/.test($ref);
		if (!isAnchor) return valueAt($ref, this.root);
		return this.schemas.find(({ $anchor }) => $ref === `#${String($anchor)}`);
	}

	private sumOf(schemas: unknown[]): number {
		return schemas.reduce<number>((sum, schema) => sum + this.countFor(schema), 0);
	}

	private largestOf(schemas: unknown[]): number {
		return schemas.reduce<number>((largest, schema) => Math.max(largest, this.countFor(schema)), 0);
	}
}

/** Returns the work of a schema by itself, which is more if it has long values to compare. */
function ownWork({ $ref, enum: values, const: value }: JsonSchema): number {
	const compared = [values, value].map((one) => (one === undefined ? '' : JSON.stringify(one)));
	const own = $ref === undefined ? 1 : REFERENCE_WORK;
	return own + compared.join('').length / ENUM_CHARACTERS;
}

/** Returns the values of an array or an object, or none of anything else. */
function valuesOf(list: unknown): unknown[] {
	return typeof list === 'object' && list !== null ? Object.values(list) : [];
}
