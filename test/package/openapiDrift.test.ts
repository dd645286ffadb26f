import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { parse } from 'yaml';

import { BrowserAgent } from '../../nodes/BrowserAgent/BrowserAgent.node';
import {
	DEFAULT_MODEL,
	IDLE_TIMEOUT_MINUTES,
	MAX_DURATION_MINUTES,
	MODELS,
	SERVICE_LIMITS,
	VIEWPORT_PIXELS,
} from '../../nodes/service/documentedValues';

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
	readFileSync(resolve(__dirname, '../../api/openapi.yaml'), 'utf8'),
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

it('The models are those of the OpenAPI document, with its default, and shown with their prices', () => {
	const marked = documentedModels.filter((model) => model.default === true);

	expect(MODELS).toEqual(
		documentedModels.map(({ id, creditsPerStep }) => ({ id, creditsPerStep })),
	);
	expect(marked.map(({ id }) => id)).toEqual([DEFAULT_MODEL]);
	expect(fieldOf('model').default).toBe('default');
	expect(choicesOf('model')).toEqual([
		{ name: 'Service Default', value: 'default' },
		...documentedModels.map(({ id, creditsPerStep }) => ({
			name: expect.stringMatching(
				new RegExp(`${id}.* \\(${creditsPerStep} Credits? per Step\\)$`),
			) as string,
			value: id,
		})),
		{ name: expect.any(String) as string, value: 'custom' },
	]);
});

it('The countries of a proxy are those of the OpenAPI document, each by its own name', () => {
	const { oneOf = [] } = propertyOf('BrowserConfig', 'residential_ip');
	const documented = oneOf.flatMap((schema) => schema.enum ?? []);
	const choices = choicesOf('residentialIp');

	expect(documented.length).toBeGreaterThan(0);
	expect(choices.map(({ value }) => value).sort()).toEqual(
		['disabled', 'enabled', ...documented].sort(),
	);
	expect(new Set(choices.map(({ name }) => name)).size).toBe(choices.length);
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
});

it('The rate limits are those of the OpenAPI document', () => {
	const documented = document['x-rate-limits'];
	const perMinute = (calls = 0) => ({ calls, windowMs: 60_000 });

	expect(SERVICE_LIMITS).toEqual({
		start: perMinute(documented.startsPerMinute),
		status: perMinute(documented.statusPerMinute),
		balance: perMinute(documented.balancePerMinute),
	});
	expect(Object.keys(documented)).toHaveLength(3);
});
