import { isObject } from '../isObject';
import { valueAt } from './findMismatches';
import { schemasIn, type JsonSchema } from './metaSchema';

// The library compares each entry of a list that must be unique with each other one.
const MAX_UNIQUE_ENTRIES = 2_000;
// As much work as to check one value against one simple schema, about 1 µs:
const COMPARED_VALUES = 20;
const STRING_CHARACTERS = 100;
const ENUM_CHARACTERS = 250;
const NAMED_PROPERTIES = 4;
// In an object with more properties, each of them takes so much more time.
const MAX_FAST_PROPERTIES = 1_000;
const SLOW_PROPERTY_WORK = 10;
const REFERENCE_WORK = 0.25;

/** What a check takes, whatever the schema says. */
interface Size {
	work: number;
	objects: number;
	/** Of the values of each two entries of each list. */
	comparisons: number;
}

/**
 * An upper bound on the cost of checking `data` by a schema that `readSchema` has returned. A unit is
 * the check of one value by a simple schema, about 1 µs. Underestimates a schema that contains
 * itself in several alternatives.
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
	return work * new Alternatives(schema, schemas).of(schema);
}

/** Adds the size of a value; returns how many values it consists of. */
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

/** How many names of properties the library looks up in an object. */
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

/** How often one value may be checked by a schema and those within it: by a plain one once. */
class Alternatives {
	private readonly known = new Map<unknown, number>();

	constructor(
		private readonly root: JsonSchema,
		private readonly schemas: JsonSchema[],
	) {}

	of(schema: unknown): number {
		// `true` and `false` take no time.
		if (!isObject(schema)) return 0;
		const known = this.known.get(schema);
		if (known !== undefined) return known;
		// Within itself it is for other values.
		this.known.set(schema, 0);
		const ofChildren = Math.max(this.ofProperties(schema), this.ofEntries(schema));
		const count = this.ofSameValue(schema) + Math.max(ownWork(schema), ofChildren);
		this.known.set(schema, count);
		return count;
	}

	private ofSameValue(schema: JsonSchema): number {
		const { $ref, not, if: condition, then, else: otherwise } = schema;
		const { allOf, anyOf, oneOf, dependentSchemas } = schema;
		const lists = [allOf, anyOf, oneOf, dependentSchemas].flatMap(valuesOf);
		return this.sumOf([this.targetOf($ref), not, condition, then, otherwise, ...lists]);
	}

	private ofProperties(schema: JsonSchema): number {
		const { properties, patternProperties, propertyNames } = schema;
		const { additionalProperties, unevaluatedProperties } = schema;
		const others = [...valuesOf(patternProperties), propertyNames, unevaluatedProperties];
		return this.largestOf([...valuesOf(properties), additionalProperties]) + this.sumOf(others);
	}

	private ofEntries(schema: JsonSchema): number {
		const { items, prefixItems, additionalItems, contains, unevaluatedItems } = schema;
		const ofOneEntry = [items, additionalItems, ...valuesOf(prefixItems)].flat();
		return this.largestOf(ofOneEntry) + this.sumOf([contains, unevaluatedItems]);
	}

	private targetOf($ref: unknown): unknown {
		if (typeof $ref !== 'string') return undefined;
		const isAnchor = !/^#(?:\/|$)/.test($ref);
		if (!isAnchor) return valueAt($ref, this.root);
		return this.schemas.find(({ $anchor }) => $ref === `#${String($anchor)}`);
	}

	private sumOf(schemas: unknown[]): number {
		return schemas.reduce<number>((sum, schema) => sum + this.of(schema), 0);
	}

	private largestOf(schemas: unknown[]): number {
		return schemas.reduce<number>((largest, schema) => Math.max(largest, this.of(schema)), 0);
	}
}

function ownWork({ $ref, enum: values, const: value }: JsonSchema): number {
	const compared = [values, value].map((one) => (one === undefined ? '' : JSON.stringify(one)));
	const own = $ref === undefined ? 1 : REFERENCE_WORK;
	return own + compared.join('').length / ENUM_CHARACTERS;
}

function valuesOf(list: unknown): unknown[] {
	return typeof list === 'object' && list !== null ? Object.values(list) : [];
}
