// The values that the service documents. A test compares them with api/openapi.yaml.

/** At most `calls` calls in any span of `windowMs`. */
export interface RateLimit {
	calls: number;
	windowMs: number;
}

/** The limits per account of the calls that the service counts, each kind separately. */
export type ServiceLimits = Record<'start' | 'status' | 'balance', RateLimit>;

/** The documented rate limits. */
export const SERVICE_LIMITS: ServiceLimits = {
	start: { calls: 10, windowMs: 60_000 },
	status: { calls: 60, windowMs: 60_000 },
	balance: { calls: 60, windowMs: 60_000 },
};

/** The smallest and largest `width` and `height` of a browser. */
export const VIEWPORT_PIXELS = { min: 320, max: 4096 };
/** The smallest and largest `max_duration_minutes`. */
export const MAX_DURATION_MINUTES = { min: 1, max: 240 };
/** The smallest and largest `idle_timeout_minutes`. */
export const IDLE_TIMEOUT_MINUTES = { min: 1, max: 60 };
/** The value of `max_duration_minutes` if a start has none. */
export const DEFAULT_MAX_DURATION_MINUTES = 30;

/** The values of `action_selection_model` and their prices. */
export const MODELS = [
	{ id: 'vendorb/vendorb-3-flash-preview', creditsPerStep: 1 },
	{ id: 'o3', creditsPerStep: 3 },
	{ id: 'vendora-sonnet-4-20250514', creditsPerStep: 5 },
	{ id: 'vendorc-4o', creditsPerStep: 5 },
	{ id: 'vendora-opus-4-1-20250805', creditsPerStep: 25 },
];
/** The model that the service uses if a start has none. */
export const DEFAULT_MODEL = 'vendora-sonnet-4-20250514';
