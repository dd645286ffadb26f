import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

interface Model {
	id: string;
	creditsPerStep: number;
	default?: boolean;
}

interface Document {
	'x-rate-limits': { startsPerMinute: number; statusPerMinute: number; balancePerMinute: number };
	paths: Record<string, Record<string, { operationId?: string }>>;
	components: {
		schemas: {
			RunBrowserAgentRequest: { properties: { action_selection_model: { 'x-models': Model[] } } };
			BrowserConfig: { properties: { max_duration_minutes: { default: number } } };
		};
	};
}

/** The OpenAPI document of the service, and the only source of its limits, models and prices. */
export const document = parse(readFileSync(join(__dirname, 'openapi.yaml'), 'utf8')) as Document;

const { RunBrowserAgentRequest, BrowserConfig } = document.components.schemas;
const models = RunBrowserAgentRequest.properties.action_selection_model['x-models'];
const prices = new Map(models.map((model) => [model.id, model.creditsPerStep]));

export const DEFAULT_MODEL = models.find((model) => model.default)?.id ?? '';

export const DEFAULT_MAX_DURATION_MINUTES = BrowserConfig.properties.max_duration_minutes.default;

/** Returns the price of a step. Models that the document lacks cost as much as the default one. */
export function creditsPerStep(model: string): number {
	return prices.get(model) ?? prices.get(DEFAULT_MODEL) ?? 0;
}
