import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

interface Model {
	id: string;
	creditsPerStep: number;
	default?: boolean;
}

interface Property<T> {
	default: T;
}

interface Document {
	'x-rate-limits': { startsPerMinute: number; statusPerMinute: number; balancePerMinute: number };
	paths: Record<string, Record<string, { operationId?: string; requestBody?: object }>>;
	components: {
		schemas: {
			RunBrowserAgentRequest: { properties: { action_selection_model: { 'x-models': Model[] } } };
			BrowserConfig: {
				properties: {
					width: Property<number>;
					height: Property<number>;
					residential_ip: Property<boolean>;
					max_duration_minutes: Property<number>;
					idle_timeout_minutes: Property<number>;
					keep_browser_open: Property<boolean>;
					use_user_browser_profile: Property<boolean>;
				};
			};
		};
	};
}

/** The OpenAPI document of the service, and the only source of its limits, models and prices. */
export const document = parse(readFileSync(join(__dirname, 'openapi.yaml'), 'utf8')) as Document;

const { RunBrowserAgentRequest, BrowserConfig } = document.components.schemas;
const models = RunBrowserAgentRequest.properties.action_selection_model['x-models'];
const prices = new Map(models.map((model) => [model.id, model.creditsPerStep]));
const config = BrowserConfig.properties;

/** The names of the models that the document has. */
export const MODELS: ReadonlySet<string> = new Set(prices.keys());

export const DEFAULT_MODEL = models.find((model) => model.default)?.id ?? '';

/** What a browser is like if the request does not say so. */
export const DEFAULT_BROWSER_CONFIG = {
	width: config.width.default,
	height: config.height.default,
	residentialIp: config.residential_ip.default,
	maxDurationMinutes: config.max_duration_minutes.default,
	idleTimeoutMinutes: config.idle_timeout_minutes.default,
	keepBrowserOpen: config.keep_browser_open.default,
	useUserBrowserProfile: config.use_user_browser_profile.default,
};

/** Returns the price of a step. Models that the document lacks cost as much as the default one. */
export function creditsPerStep(model: string): number {
	return prices.get(model) ?? prices.get(DEFAULT_MODEL) ?? 0;
}
