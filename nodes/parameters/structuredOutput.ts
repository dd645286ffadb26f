import { toPlainText } from '../errors/plainText';
import { messageOf, rethrown } from '../errors/ServiceError';
import { UserError } from '../errors/UserError';
import { parseJson } from '../service/parseJson';
import type { OutputSchema } from '../structuredOutput/OutputSchema';
import { readSchema } from '../structuredOutput/readSchema';
import { schemaFromExample } from '../structuredOutput/schemaFromExample';
import { choice, readCollection, type Field, type ParameterContext, type Values } from './field';
import { toSentText } from './values';

const MAX_BYTES = 100_000;
const EXAMPLE = 'Output Like This Example';
const SCHEMA = 'Output JSON Schema';

/** What an output must match; blank is unset. */
export const OUTPUT_SCHEMA_OPTIONS = {
	outputExample: {
		shown: {
			displayName: EXAMPLE,
			name: 'outputExample',
			type: 'json',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. { "name": "Desk lamp", "price": 19.9 }',
			description:
				'A JSON object or array like the one you want as output. The output must have the same keys, with values of the same types, and is returned as data.',
		},
		read(value) {
			const parsed = readJson(value, EXAMPLE);
			if (parsed === undefined) return undefined;
			const { json: example, data } = parsed;
			if (typeof data === 'object' && data !== null) {
				return { schema: JSON.stringify(schemaFromExample(data)), example };
			}
			throw new UserError(`'${EXAMPLE}' is neither an object nor an array`, {
				description: 'Put the value into an object, e.g. {"price": 19.9}.',
			});
		},
	} satisfies Field<OutputSchema | undefined>,
	outputSchema: {
		shown: {
			displayName: SCHEMA,
			name: 'outputSchema',
			type: 'json',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. { "type": "object", "required": ["price"] }',
			description: 'JSON Schema that the output must match. The output is then returned as data.',
		},
		read(value) {
			const parsed = readJson(value, SCHEMA);
			if (parsed === undefined) return undefined;
			try {
				readSchema(parsed.json);
				return { schema: parsed.json };
			} catch (error) {
				const reason = toPlainText(messageOf(error));
				throw rethrown(
					new UserError(`'Output JSON Schema' can't be used: ${reason}`, {
						description:
							'Keywords of JSON Schema 2020-12 and draft 7 are supported, and references within the schema, such as #/$defs/item.',
					}),
				);
			}
		},
	} satisfies Field<OutputSchema | undefined>,
};

/** What becomes of a completed job whose output does not match. */
export const INVALID_OUTPUT_OPTION = {
	onInvalidOutput: choice({
		displayName: 'On Invalid Output',
		name: 'onInvalidOutput',
		type: 'options',
		options: [
			{
				name: 'Fail',
				value: 'fail',
				description: 'Stop with an error that names the job and the first mismatch',
			},
			{
				name: 'Return',
				value: 'return',
				description: 'Return the output as it is, with the mismatches in output_errors',
			},
		],
		default: 'fail',
		description: `What to do if the output doesn't match ${EXAMPLE} or ${SCHEMA}`,
	}),
};

/** What the user has set, if anything. Throws a `UserError` if it is both. */
export function toOutputSchema(
	set: Values<typeof OUTPUT_SCHEMA_OPTIONS>,
): OutputSchema | undefined {
	const { outputExample, outputSchema } = set;
	if (outputExample === undefined || outputSchema === undefined) {
		return outputExample ?? outputSchema;
	}
	throw new UserError(`'${EXAMPLE}' and '${SCHEMA}' are both set`, {
		description: 'Set only one of them. A schema can express more than an example.',
	});
}

/** Reads it among the options. Throws a `UserError` that names the parameter. */
export function readOutputSchema(
	context: ParameterContext,
	item: number,
): OutputSchema | undefined {
	return toOutputSchema(readCollection(context, item, 'options', OUTPUT_SCHEMA_OPTIONS));
}

function readJson(value: unknown, name: string): { json: string; data: unknown } | undefined {
	const json = toSentText(value, name).trim();
	if (json === '') return undefined;
	if (Buffer.byteLength(json) > MAX_BYTES) {
		throw new UserError(`'${name}' is larger than 100 kB`, {
			description: 'Describe only the fields that you need.',
		});
	}
	const data = parse(json, name);
	// What is too deep to be data stays text; of an object, only the fields that are.
	if (typeof parseJson(`[${json}]`) === 'string') {
		throw new UserError(`'${name}' is nested too deeply`, {
			description: 'Use fewer than 200 levels.',
		});
	}
	return { json, data };
}

function parse(json: string, name: string): unknown {
	try {
		return JSON.parse(json) as unknown;
	} catch (error) {
		const reason = toPlainText((error as Error).message);
		throw rethrown(
			new UserError(`'${name}' is not valid JSON`, {
				description: `${reason}. If '${name}' is an expression, check its value for this item.`,
			}),
		);
	}
}
