/** A value of `action_selection_model` and its price. */
export interface Model {
	id: string;
	creditsPerStep: number;
}

/** The models of service-interface.md; a test compares them with the sandbox's OpenAPI document. */
export const MODELS: readonly Model[] = [
	{ id: 'vendorb/vendorb-3-flash-preview', creditsPerStep: 1 },
	{ id: 'o3', creditsPerStep: 3 },
	{ id: 'vendora-sonnet-4-20250514', creditsPerStep: 5 },
	{ id: 'vendorc-4o', creditsPerStep: 5 },
	{ id: 'vendora-opus-4-1-20250805', creditsPerStep: 25 },
];

export const DEFAULT_MODEL = 'vendora-sonnet-4-20250514';
