import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator';
import { parse } from 'yaml';

import {
	documentedEndpoints,
	documentedFields,
	documentedLimits,
	documentedModels,
	documentedStatuses,
	type FieldRow,
} from './documentedInterface';
import { PRO, setUpSandbox } from './setUpSandbox';

const ROOT = join(__dirname, '../../..');

interface Schema {
	$ref?: string;
	type?: string | string[];
	format?: string;
	const?: string;
	enum?: string[];
	anyOf?: Schema[];
	oneOf?: Schema[];
	items?: Schema;
	minimum?: number;
	maximum?: number;
	default?: unknown;
	required?: string[];
	properties?: Record<string, Schema>;
}

interface Reference {
	$ref?: string;
	content?: { 'application/json': { schema: Schema } };
}

interface Operation {
	requestBody?: Reference;
	responses: Record<string, Reference>;
}

const document = parse(readFileSync(join(ROOT, 'dev/sandbox/openapi.yaml'), 'utf8'));
const { securitySchemes } = document.components;

/** The sentences of all `x-assumed`, those of status codes aside. */
function assumptionsIn(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => {
		if (key !== 'x-assumed') return assumptionsIn(inner);
		return [inner as string | string[]].flat().filter((text) => !/^\d+$/.test(text));
	});
}

/** The part of the document that is not assumed. */
function withoutAssumed<T>(value: T): T {
	if (Array.isArray(value))
		return value.filter((item) => !isAssumed(item)).map(withoutAssumed) as T;
	if (typeof value !== 'object' || value === null) return value;
	const { 'x-assumed': assumed, ...rest } = value as Record<string, unknown>;
	const assumedKeys = Array.isArray(assumed) ? assumed : [];
	const kept = Object.entries(rest).filter(
		([key, inner]) => !assumedKeys.includes(key) && !isAssumed(inner),
	);
	return Object.fromEntries(kept.map(([key, inner]) => [key, withoutAssumed(inner)])) as T;
}

function isAssumed(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return typeof (value as Record<string, unknown>)['x-assumed'] === 'string';
}

function nameOf({ $ref = '' }: { $ref?: string }): string {
	return $ref.split('/').at(-1) ?? '';
}

/** The type of a field, in the words of the document's tables. */
function typeOf(schema: Schema): string {
	const { $ref, type, format, const: constant, enum: values, items } = schema;
	const choices = schema.anyOf ?? schema.oneOf;
	if ($ref !== undefined) return nameOf(schema);
	if (choices) return choices.map(typeOf).join(' or ');
	if (constant !== undefined) return constant;
	if (values) return values.join('|');
	if (items) return `array of ${typeOf(items)}`;
	const types = type === undefined ? ['any'] : [type].flat();
	return types.map((name) => (name === 'string' && format ? format : name)).join(' or ');
}

function fieldRows({ properties = {}, required = [] }: Schema): FieldRow[] {
	return Object.entries(properties).map(([name, schema]) => {
		const { minimum, maximum, default: byDefault } = schema;
		const row: FieldRow = [name, typeOf(schema)];
		if (required.includes(name)) row.push('required');
		if (minimum !== undefined || maximum !== undefined) row.push(`${minimum} to ${maximum}`);
		if (byDefault !== undefined) row.push(`default ${byDefault}`);
		return row;
	});
}

describe('The OpenAPI document', () => {
	const { components, paths, ...rest } = withoutAssumed(document);
	const { JobRunStatus, ...schemas } = components.schemas as Record<string, Schema>;

	function contentOf(reference: Reference): string {
		const { content }: Reference =
			reference.$ref === undefined ? reference : components.responses[nameOf(reference)];
		return content === undefined ? 'no schema' : nameOf(content['application/json'].schema);
	}

	function endpointOf({ requestBody, responses }: Operation): Record<string, string> {
		const endpoint = Object.fromEntries(
			Object.entries(responses).map(([status, response]) => [status, contentOf(response)]),
		);
		return requestBody ? { body: contentOf(requestBody), ...endpoint } : endpoint;
	}

	it('is valid OpenAPI', () => {
		const validator = new OpenAPISchemaValidator({
			version: document.openapi,
			validateApiSpec: true,
		});

		expect(validator.validate(document)).toEqual({ errors: [] });
	});

	it('requires a bearer key except for the health endpoint', () => {
		expect(securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
		expect(document.security).toEqual([{ apiKey: [] }]);
		expect(document.paths['/v1/health'].get.security).toEqual([]);
	});

	it('has the documented fields, and marks all others as assumed', () => {
		const rows = Object.entries(schemas).map(([name, schema]) => [name, fieldRows(schema)]);

		expect(Object.fromEntries(rows)).toEqual(documentedFields);
	});

	it('has the documented endpoints and status codes, and marks all others as assumed', () => {
		const endpoints = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(
			([path, { parameters, ...operations }]) => {
				const entries = Object.entries(operations);
				if (entries.length === 0) return [[path, {}]];
				return entries.map(([method, operation]) => [`${method} ${path}`, endpointOf(operation)]);
			},
		);

		expect(Object.fromEntries(endpoints)).toEqual(documentedEndpoints);
		expect(components.responses.TooManyRequests.headers).toEqual({});
	});

	it('has the documented statuses', () => {
		expect(JobRunStatus?.enum).toEqual(documentedStatuses);
	});

	it('has the documented models, limits and version', () => {
		const model = schemas.RunBrowserAgentRequest?.properties?.action_selection_model as {
			'x-models': Array<{ id: string; creditsPerStep: number }>;
		};
		const prices = model['x-models'].map(({ id, creditsPerStep }) => [id, creditsPerStep]);

		expect(Object.fromEntries(prices)).toEqual(documentedModels);
		expect(rest['x-rate-limits']).toEqual(documentedLimits);
		expect(rest.info.version).toBe('1.0.0');
	});

	it('has its assumptions listed on the page about the sandbox', () => {
		const page = readFileSync(join(ROOT, 'docs/sandbox.md'), 'utf8');
		const [, section = ''] =
			/^## What it assumes\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(page) ?? [];
		const listed = [...section.matchAll(/^- (.+)$/gm)].map(([, sentence]) => sentence);

		expect(listed.sort()).toEqual([...new Set(assumptionsIn(document))].sort());
	});
});

describe('Sandbox response validation', () => {
	const sandbox = setUpSandbox();

	it('turns a response that violates the document into a 500', async () => {
		// The document requires whole numbers of credits.
		await sandbox.admin.setCredits(PRO, 0.5);

		const { status, data } = await sandbox.client.balance();

		const detail = expect.stringContaining('credit_balance must be integer');
		expect(status).toBe(500);
		expect(data).toEqual({ detail, status_code: 500 });
		expect(await sandbox.admin.requests()).toMatchObject([{ answered: 500 }]);
	});

	it('leaves scripted responses alone', async () => {
		const jobId = await sandbox.startJob({ statuses: ['queued'], nullFields: ['status'] });

		const { status, data } = await sandbox.client.status(jobId);

		expect([status, data.status]).toEqual([200, null]);
	});
});
