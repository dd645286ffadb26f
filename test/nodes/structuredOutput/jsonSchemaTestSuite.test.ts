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
		accepted: 317,
		refused: {
			"'$ref' leads to nothing within the schema, or in a circle": 19,
			"$dynamicAnchor' is not allowed": 12,
			"$dynamicRef' is not allowed": 1,
			"$id' is not allowed": 16,
			"$schema' does not match pattern": 3,
			"array_of_schemas' is not allowed": 1,
			"contentEncoding' is not allowed": 1,
			"contentMediaType' is not allowed": 3,
			"dependencies' is not allowed": 7,
			"format' must be one of": 13,
			'it is not an object': 2,
			"unknown-keyword' is not allowed": 2,
		},
	},
	{
		folder: 'draft7',
		$schema: 'http://json-schema.org/draft-07/schema#',
		accepted: 240,
		refused: {
			"'$ref' leads to nothing within the schema, or in a circle": 12,
			"$id' is not allowed": 12,
			"array_of_schemas' is not allowed": 1,
			"contentEncoding' is not allowed": 1,
			"contentMediaType' is not allowed": 2,
			"dependencies' is not allowed": 6,
			"format' must be one of": 13,
			'it is not an object': 2,
		},
	},
])('The JSON Schema Test Suite, $folder', ({ folder, $schema, accepted, refused }) => {
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
		expect(known.length).toBe(accepted);
	});

	it('has schemas that are refused, for these reasons', () => {
		const counts: Record<string, number> = {};
		for (const group of groups) {
			const reason = refusalOf(schemaOf(group, $schema));
			if (reason !== undefined) counts[reason] = (counts[reason] ?? 0) + 1;
		}

		expect(counts).toEqual(refused);
	});
});
