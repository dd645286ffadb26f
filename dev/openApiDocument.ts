import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Validator } from '@cfworker/json-schema';
import { parse } from 'yaml';

interface Response {
	$ref?: string;
	content?: { 'application/json': { schema: object } };
}

/** The document, read apart from `api/`. */
export const document = parse(readFileSync(join(__dirname, '../api/openapi.yaml'), 'utf8'));

/** What is wrong with the body of a response with this status, by the document. */
export function violationsOf(
	body: unknown,
	status: number,
	path: string,
	method: string,
): string[] {
	const responses = document.paths[path][method].responses as Record<string, Response>;
	const response = responses[status];
	if (response === undefined) return [`The document has no ${status} for ${method} ${path}`];

	const name = response.$ref?.split('/').at(-1) ?? '';
	const { content }: Response = name === '' ? response : document.components.responses[name];
	if (content === undefined) return body === '' ? [] : ['The document has no body for it'];
	if (body === undefined) return ['There is no JSON body'];
	const { schema } = content['application/json'];
	const validator = new Validator({ ...schema, components: document.components }, '2020-12', false);
	return validator.validate(body).errors.map(({ instanceLocation, error }) => {
		return `${instanceLocation}: ${error}`;
	});
}
