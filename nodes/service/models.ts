/** One choice of `action_selection_model` and what a step with it costs. */
export interface Model {
	id: string;
	creditsPerStep: number;
}

// All of this is service-interface.md in numbers; a test holds it against the OpenAPI document.

export const MODELS: readonly Model[] = [
	{ id: 'vendorb/vendorb-3-flash-preview', creditsPerStep: 1 },
	{ id: 'o3', creditsPerStep: 3 },
	{ id: 'vendora-sonnet-4-20250514', creditsPerStep: 5 },
	{ id: 'vendorc-4o', creditsPerStep: 5 },
	{ id: 'vendora-opus-4-1-20250805', creditsPerStep: 25 },
];

export const DEFAULT_MODEL = 'vendora-sonnet-4-20250514';

export const PROXY_COUNTRIES = [
	'us',
	'ca',
	'gb',
	'de',
	'fr',
	'au',
	'jp',
	'in',
	'br',
	'kr',
] as const;

/** A whole number with both ends included. */
export interface WholeNumberBounds {
	min: number;
	max: number;
}

export const VIEWPORT_PIXELS: WholeNumberBounds = { min: 320, max: 4096 };
export const MAX_DURATION_MINUTES: WholeNumberBounds = { min: 1, max: 240 };
export const IDLE_TIMEOUT_MINUTES: WholeNumberBounds = { min: 1, max: 60 };

export const DEFAULT_MAX_DURATION_MINUTES = 30;

/** So many calls in any span of `windowMs`. */
export interface RateLimit {
	calls: number;
	windowMs: number;
}

const MINUTE_MS = 60_000;

/** The calls the service counts, each kind by itself, per account. */
export interface ServiceLimits {
	start: RateLimit;
	status: RateLimit;
	balance: RateLimit;
}

export const SERVICE_LIMITS: ServiceLimits = {
	start: { calls: 10, windowMs: MINUTE_MS },
	status: { calls: 60, windowMs: MINUTE_MS },
	balance: { calls: 60, windowMs: MINUTE_MS },
};
