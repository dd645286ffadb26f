import type { INodeProperties } from 'n8n-workflow';

import { NodeFailure } from '../errors/NodeFailure';
import { toPlainText } from '../errors/plainText';
import { messageOf } from '../errors/ServiceError';
import type { JobOptions } from '../jobs/JobTask';
import { isJsonTooDeep } from '../service/parseJson';
import type { JsonSchema } from '../structuredOutput/findMismatches';
import {
	type OutputSchema,
	checksSomething,
	isJsonSchema,
	readSchema,
} from '../structuredOutput/readSchema';
import { choice, type Field, type Values } from './field';
import { emptyError, hasLostObject, LOST_OBJECT_ADVICE, toSentText } from './values';

/** The form in which the user wants the output. */
type OutputFormat = Pick<JobOptions, 'parsesJson' | 'outputSchema'>;

const MAX_BYTES = 100_000;

const EXAMPLE_ADVICE =
	"Enter a JSON object or array like the output you want, e.g. {\"price\": 19.9}. For a JSON Schema, set 'Output Format' to 'JSON Schema'.";
const SCHEMA_ADVICE =
	'Enter the schema alone, without what is around it elsewhere, such as "schema", "parameters" or "input_schema", with references only within it, and with a list of types in place of "nullable": "type": ["string", "null"].';

// Several lines, so that n8n doesn't give it to its AI workflow builder as the field's default.
const EXAMPLE_SKETCH = `{
	"name": "Text",
	"price": 9.99,
	"in_stock": true
}`;

const formatField = choice({
	displayName: 'Output Format',
	name: 'outputFormat',
	type: 'options',
	// Not alphabetical: from the loosest form to the strictest one.
	options: [
		{
			name: 'Any',
			value: 'any',
			description: "The agent's own words, as the service sends them, usually text",
		},
		{
			name: 'JSON',
			value: 'json',
			description: 'Data if the output is JSON, with or without a code fence; otherwise text',
		},
		{
			name: 'Like an Example',
			value: 'example',
			description: 'Data with the keys and types of your example, checked by the node',
		},
		{
			name: 'JSON Schema',
			value: 'schema',
			description: 'Data that matches your JSON Schema, checked by the node',
		},
	],
	default: 'any',
	description:
		"What you get in 'output'. With an example or JSON Schema, Agent: Run asks the agent for that form, and the output is checked.",
	builderHint: {
		propertyHint:
			"Use 'example' whenever a later node reads fields of the result: they are then at $json.output. With 'any', output is text that the agent phrases differently each time.",
	},
});

const exampleField = jsonField(
	{
		displayName: 'Example',
		name: 'outputExample',
		type: 'json',
		typeOptions: { rows: 4 },
		// If it were `required`, n8n would demand it whenever 'Output Format' is an expression.
		// Not a placeholder: n8n shows none in an editor for JSON, and marks an empty one as an error.
		default: EXAMPLE_SKETCH,
		hint: 'Replace this with the data you want. For a list: [ { … } ]',
		description:
			'JSON object or array like the output you want. Every key is required, with a value of the same type.',
		builderHint: {
			propertyHint:
				'Required with this format. A list is an array with one sample entry: [{"name": "Desk lamp", "price": 19.9}].',
		},
		displayOptions: { show: { outputFormat: ['example'] } },
	},
	EXAMPLE_ADVICE,
	(example) => {
		const data: unknown = JSON.parse(example);
		if (isJsonSchema(data)) {
			throw new Error('it is a JSON Schema');
		}
		if (JSON.stringify(data) === JSON.stringify(JSON.parse(EXAMPLE_SKETCH))) {
			throw new Error("it is still the field's initial value");
		}
		if (typeof data === 'object' && data !== null) {
			return { schema: JSON.stringify(schemaFromExample(data)), example };
		}
		throw new Error('it is neither an object nor an array');
	},
);

const schemaField = jsonField(
	{
		displayName: 'JSON Schema',
		name: 'outputSchema',
		type: 'json',
		typeOptions: { rows: 4 },
		// If it were `required`, n8n would demand it whenever 'Output Format' is an expression.
		default: '',
		hint: 'For example { "type": "object", "required": ["price"], "properties": { "price": { "type": "number" } } }',
		description: 'JSON Schema that the output must match',
		builderHint: { propertyHint: 'Required with this format' },
		displayOptions: { show: { outputFormat: ['schema'] } },
	},
	SCHEMA_ADVICE,
	(schema) => {
		// A paid job would run, and its output would not be checked.
		if (!checksSomething(readSchema(schema).schema)) {
			throw new Error('it checks nothing, since it has no keyword such as "type" or "properties"');
		}
		return { schema };
	},
);

export const OUTPUT_FORMAT_FIELDS = {
	outputFormat: formatField,
	outputExample: exampleField,
	outputSchema: schemaField,
};

/** Returns the output format. Throws a `NodeFailure` that names the parameter. */
export function toOutputFormat(values: Values<typeof OUTPUT_FORMAT_FIELDS>): OutputFormat {
	const { outputFormat } = values;
	const parsesJson = outputFormat === 'json';
	if (outputFormat === 'any' || parsesJson) return { parsesJson };
	const outputSchema = outputFormat === 'example' ? values.outputExample : values.outputSchema;
	return { parsesJson, outputSchema };
}

/**
 * Returns a schema for values that look like an example. The example's keys are required, and more
 * keys are allowed; `null` and an empty array stand for anything. Entries of an array may look like
 * any of the example's entries.
 */
export function schemaFromExample(example: unknown): JsonSchema {
	if (example === null) return {};
	if (typeof example !== 'object') return { type: typeof example };

	const entries = Object.entries(example).map(([key, value]) => [key, schemaFromExample(value)]);
	const schemas = Object.fromEntries(entries) as Record<string, JsonSchema>;
	if (!Array.isArray(example)) {
		return { type: 'object', properties: schemas, required: Object.keys(schemas) };
	}
	const distinct = new Map(Object.values(schemas).map((one) => [JSON.stringify(one), one]));
	const [first, ...others] = distinct.values();
	if (first === undefined) return {};
	return { type: 'array', items: others.length === 0 ? first : { anyOf: [first, ...others] } };
}

/**
 * Creates a field for JSON, which `toSchema` converts to a schema. If the JSON can't be used,
 * `toSchema` throws an error with the reason. `advice`: what the user can do about it.
 */
function jsonField(
	property: INodeProperties,
	advice: string,
	toSchema: (json: string) => OutputSchema,
): Field<OutputSchema> {
	const { displayName } = property;
	return {
		property,
		read(value) {
			const json = toSentText(value, displayName).trim();
			if (json === '') throw emptyError(displayName);
			const isSmall = Buffer.byteLength(json) <= MAX_BYTES;
			const syntaxError = isSmall ? syntaxErrorIn(json) : undefined;
			if (syntaxError !== undefined) {
				const message = `'${displayName}' is not valid JSON: ${toPlainText(syntaxError)}`;
				throw unusableError(
					message,
					displayName,
					hasLostObject(json) ? LOST_OBJECT_ADVICE : advice,
				);
			}

			try {
				if (!isSmall) throw new Error('it is larger than 100 kB');
				if (isJsonTooDeep(json)) throw new Error('it is nested too deeply');
				return toSchema(json);
			} catch (error) {
				const reason = toPlainText(messageOf(error));
				const message = `'${displayName}' can't be used: ${reason}`;
				throw unusableError(message, displayName, advice);
			}
		},
	};
}

/** Returns what is wrong with text that is not JSON, in the words of the parser. */
function syntaxErrorIn(text: string): string | undefined {
	try {
		JSON.parse(text);
		return undefined;
	} catch (error) {
		return messageOf(error);
	}
}

function unusableError(message: string, displayName: string, advice: string): NodeFailure {
	return new NodeFailure(message, {
		description: `${advice} If '${displayName}' is an expression, check its value for this item.`,
	});
}
