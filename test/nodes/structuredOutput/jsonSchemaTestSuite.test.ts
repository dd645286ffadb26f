import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { messageOf } from '../../../nodes/errors/ServiceError';
import { checkOutput } from '../../../nodes/structuredOutput/checkOutput';
import { readSchema } from '../../../nodes/structuredOutput/readSchema';

/** Schemas of one subject, as the suite has them. */
interface Group {
	description: string;
	schema: object | boolean;
	tests: Array<{ description: string; data: unknown; valid: boolean }>;
}

// This package contains the official suite.
const PACKAGE = path.dirname(require.resolve('alterschema/package.json'));
const SUITE = path.join(PACKAGE, 'vendor/json-schema-test-suite/tests');
const REASON =
	/[\w$-]+' is not allowed|[\w$-]+' (?:does not match \w+|must be one of)|'\$ref' [a-z, ]+(?= \()|^it is .*/;

// In the suite, schemas of draft 7 don't say so.
function schemaOf({ schema }: Group, $schema: string): string {
	return JSON.stringify(typeof schema === 'object' ? { $schema, ...schema } : schema);
}

function groupsOf(folder: string): Group[] {
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.json'))
		.flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Group[]);
}

/** Why a schema is refused; undefined if it is not. */
function refusalOf(schema: string): string | undefined {
	try {
		readSchema(schema);
		return undefined;
	} catch (error) {
		const message = messageOf(error);
		return REASON.exec(message)?.[0] ?? message;
	}
}

describe.each([
	{
		folder: 'draft2020-12',
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		refused: [
			"'$ref' points to nothing in the schema, or is circular",
			"$dynamicAnchor' is not allowed",
			"$dynamicRef' is not allowed",
			"$id' is not allowed",
			"$schema' does not match pattern",
			"array_of_schemas' is not allowed",
			"contentEncoding' is not allowed",
			"contentMediaType' is not allowed",
			"dependencies' is not allowed",
			"format' must be one of",
			'it is not an object',
			"unknown-keyword' is not allowed",
		],
	},
	{
		folder: 'draft7',
		$schema: 'http://json-schema.org/draft-07/schema#',
		refused: [
			"'$ref' points to nothing in the schema, or is circular",
			"$id' is not allowed",
			"array_of_schemas' is not allowed",
			"contentEncoding' is not allowed",
			"contentMediaType' is not allowed",
			"dependencies' is not allowed",
			"format' must be one of",
			'it is not an object',
		],
	},
])('The JSON Schema Test Suite, $folder', ({ folder, $schema, refused }) => {
	const groups = groupsOf(path.join(SUITE, folder));

	it('finds no wrong verdict on a schema that is not refused', () => {
		const known = groups.filter((group) => refusalOf(schemaOf(group, $schema)) === undefined);
		const wrong = known.flatMap((group) =>
			group.tests
				.filter(({ data, valid }) => {
					const check = checkOutput(JSON.stringify(data), { schema: schemaOf(group, $schema) });
					return (check.output_errors === undefined) !== valid;
				})
				.map((test) => `${group.description}: ${test.description}`),
		);

		expect(wrong).toEqual([]);
	});

	it('has schemas that are refused, for these reasons', () => {
		const reasons = groups.flatMap((group) => refusalOf(schemaOf(group, $schema)) ?? []);

		expect([...new Set(reasons)].sort()).toEqual([...refused].sort());
	});
});
