import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator';

import { document } from '../../dev/openApiDocument';

/** The sentences of all `x-assumed`, those of status codes aside. */
function assumptionsIn(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => {
		if (key !== 'x-assumed') return assumptionsIn(inner);
		return [inner as string | string[]].flat().filter((text) => !/^\d+$/.test(text));
	});
}

describe('The OpenAPI document', () => {
	it('is valid OpenAPI', () => {
		const validator = new OpenAPISchemaValidator({
			version: document.openapi,
			validateApiSpec: true,
		});

		expect(validator.validate(document)).toEqual({ errors: [] });
	});

	it('has its assumptions listed on the page about the sandbox', () => {
		const page = readFileSync(join(__dirname, '../../docs/sandbox.md'), 'utf8');
		const [, section = ''] =
			/^## What it assumes\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(page) ?? [];
		const listed = [...section.matchAll(/^- (.+)$/gm)].map(([, sentence]) => sentence);

		expect(listed.sort()).toEqual([...new Set(assumptionsIn(document))].sort());
	});
});
