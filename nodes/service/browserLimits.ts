// The values of service-interface.md; a test compares them with the sandbox's OpenAPI document.

/** Bounds of a whole number, both included. */
export interface WholeNumberBounds {
	min: number;
	max: number;
}

export const VIEWPORT_PIXELS: WholeNumberBounds = { min: 320, max: 4096 };
export const MAX_DURATION_MINUTES: WholeNumberBounds = { min: 1, max: 240 };
export const IDLE_TIMEOUT_MINUTES: WholeNumberBounds = { min: 1, max: 60 };

export const DEFAULT_MAX_DURATION_MINUTES = 30;
