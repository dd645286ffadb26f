import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { parse } from 'yaml';

import { BrowserAgent } from '../../nodes/BrowserAgent/BrowserAgent.node';
import { isFinished } from '../../nodes/jobs/status';
import {
	DEFAULT_MAX_DURATION_MINUTES,
	IDLE_TIMEOUT_MINUTES,
	MAX_DURATION_MINUTES,
	VIEWPORT_PIXELS,
} from '../../nodes/service/browserLimits';
import { DEFAULT_MODEL, MODELS } from '../../nodes/service/models';
import { SERVICE_LIMITS } from '../../nodes/service/rateLimits';

// The nodes repeat some values of the service's OpenAPI document. These tests find what differs.

interface Schema {
	minimum?: number;
	maximum?: number;
	default?: unknown;
	enum?: string[];
	oneOf?: Schema[];
	properties: Record<string, Schema>;
	'x-models'?: Array<{ id: string; creditsPerStep: number; default?: boolean }>;
}

interface ServiceDocument {
	'x-rate-limits': Record<string, number>;
	components: { schemas: Record<string, Schema> };
}

const document = parse(
	readFileSync(resolve(__dirname, '../../dev/sandbox/openapi.yaml'), 'utf8'),
) as ServiceDocument;

const modelSchema = propertyOf('RunBrowserAgentRequest', 'action_selection_model');
const documentedModels = modelSchema['x-models'] ?? [];

function schemaOf(name: string): Schema {
	const schema = document.components.schemas[name];
	if (schema === undefined) throw new Error(`The document has no schema ${name}`);
	return schema;
}

function propertyOf(schema: string, name: string): Schema {
	const property = schemaOf(schema).properties[name];
	if (property === undefined) throw new Error(`The document has no ${schema}.${name}`);
	return property;
}

/** A field of the node, also one within the browser options. */
function fieldOf(name: string): INodeProperties {
	const { properties } = new BrowserAgent().description;
	const browserConfig = properties.find((property) => property.name === 'browserConfig');
	const all = [...properties, ...((browserConfig?.options ?? []) as INodeProperties[])];
	const field = all.find((property) => property.name === name);
	if (field === undefined) throw new Error(`The node has no field ${name}`);
	return field;
}

function choicesOf(name: string): Array<{ name: string; value: unknown }> {
	return (fieldOf(name).options ?? []).flatMap((option) =>
		'value' in option ? [{ name: option.name, value: option.value }] : [],
	);
}

describe('The models', () => {
	it('are those of the OpenAPI document, at its prices', () => {
		expect(MODELS).toEqual(
			documentedModels.map(({ id, creditsPerStep }) => ({ id, creditsPerStep })),
		);
	});

	it('have the default of the OpenAPI document', () => {
		const marked = documentedModels.filter((model) => model.default === true);

		expect(marked.map(({ id }) => id)).toEqual([DEFAULT_MODEL]);
		expect(modelSchema.default).toBe(DEFAULT_MODEL);
		expect(fieldOf('model').default).toBe(DEFAULT_MODEL);
	});

	it('are shown with the price of a step, beside a custom one', () => {
		const choices = choicesOf('model');

		expect(choices.map(({ value }) => value)).toEqual([
			...documentedModels.map(({ id }) => id),
			'custom',
		]);
		for (const { id, creditsPerStep } of documentedModels) {
			const name = choices.find(({ value }) => value === id)?.name;
			expect(name).toMatch(new RegExp(`\\(${creditsPerStep} Credits? per Step\\)$`));
			expect(name).toContain(id);
		}
	});
});

describe('The countries of a proxy', () => {
	const documented = propertyOf('BrowserConfig', 'residential_ip').oneOf?.find(
		(schema) => schema.enum !== undefined,
	)?.enum;

	it('are those of the OpenAPI document, each by its own name, beside no proxy and the default country', () => {
		const choices = choicesOf('residentialIp');

		expect(choices.map(({ value }) => value).sort()).toEqual(
			['disabled', 'enabled', ...(documented ?? [])].sort(),
		);
		expect(new Set(choices.map(({ name }) => name)).size).toBe(choices.length);
	});
});

describe('The browser options', () => {
	it.each([
		['width', 'width', VIEWPORT_PIXELS],
		['height', 'height', VIEWPORT_PIXELS],
		['max_duration_minutes', 'maxDurationMinutes', MAX_DURATION_MINUTES],
		['idle_timeout_minutes', 'idleTimeoutMinutes', IDLE_TIMEOUT_MINUTES],
	])('have the bounds and default of the OpenAPI document: %s', (property, field, bounds) => {
		const { minimum, maximum, default: byDefault } = propertyOf('BrowserConfig', property);
		const { typeOptions, description, default: shownDefault } = fieldOf(field);

		expect(bounds).toEqual({ min: minimum, max: maximum });
		expect(typeOptions).toMatchObject({ minValue: minimum, maxValue: maximum });
		expect(description).toContain(`from ${minimum} to ${maximum}`);
		expect(shownDefault).toBe(byDefault);
	});

	it('have the default duration of the OpenAPI document', () => {
		expect(DEFAULT_MAX_DURATION_MINUTES).toBe(
			propertyOf('BrowserConfig', 'max_duration_minutes').default,
		);
	});
});

describe('The statuses of a job', () => {
	it.each([
		['provisioning', false],
		['running', false],
		['paused', false],
		['completed', true],
		['failed', true],
		['user_taken_over', true],
	])('in the OpenAPI document are known: %s', (status, isOver) => {
		expect(schemaOf('JobRunStatus').enum).toContain(status);
		expect(isFinished({ status })).toBe(isOver);
	});
});

describe('The rate limits', () => {
	it.each([
		['start', 'startsPerMinute'],
		['status', 'statusPerMinute'],
		['balance', 'balancePerMinute'],
	] as const)('are those of the OpenAPI document: %s', (kind, documented) => {
		expect(SERVICE_LIMITS[kind]).toEqual({
			calls: document['x-rate-limits'][documented],
			windowMs: 60_000,
		});
	});

	it('are all in the table above', () => {
		expect(Object.keys(SERVICE_LIMITS)).toHaveLength(Object.keys(document['x-rate-limits']).length);
	});
});
