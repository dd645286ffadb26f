import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

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
// Schemas with these may be refused.
const UNSUPPORTED = /"(\$id|\$ref|\$schema|\$dynamicRef|\$dynamicAnchor|dependencies|format)"/;

// In the suite, schemas of draft 7 don't say so.
function schemaOf({ schema }: Group, $schema: string): string {
	return JSON.stringify(typeof schema === 'object' ? { $schema, ...schema } : schema);
}

function groupsOf(folder: string): Group[] {
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.json'))
		.flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Group[]);
}

function isRefused(schema: string): boolean {
	try {
		readSchema(schema);
		return false;
	} catch {
		return true;
	}
}

describe.each([
	{ folder: 'draft2020-12', $schema: 'https://json-schema.org/draft/2020-12/schema' },
	{ folder: 'draft7', $schema: 'http://json-schema.org/draft-07/schema#' },
])('The JSON Schema Test Suite, $folder', ({ folder, $schema }) => {
	const groups = groupsOf(path.join(SUITE, folder));

	it('finds no wrong verdict on a schema that is not refused', () => {
		const known = groups.filter((group) => !isRefused(schemaOf(group, $schema)));
		// What draft 7 lets `content…` assert is an annotation in later drafts, and here.
		const checked = known.filter(
			({ schema }) => !/"content(?:Encoding|MediaType)"/.test(JSON.stringify(schema)),
		);
		const wrong = checked.flatMap((group) =>
			group.tests
				.filter(({ data, valid }) => {
					const check = checkOutput(JSON.stringify(data), { schema: schemaOf(group, $schema) });
					return (check.output_errors === undefined) !== valid;
				})
				.map((test) => `${group.description}: ${test.description}`),
		);

		expect(known).not.toEqual([]);
		expect(wrong).toEqual([]);
	});

	it('finds no refused schema that is an object of supported keywords', () => {
		const supported = groups.filter(
			({ schema }) => typeof schema === 'object' && !UNSUPPORTED.test(JSON.stringify(schema)),
		);
		const refused = supported.filter((group) => isRefused(schemaOf(group, $schema)));

		expect(supported).not.toEqual([]);
		expect(refused.map(({ description }) => description)).toEqual([]);
	});
});
