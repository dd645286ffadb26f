/** What the package must do on every release. */
export const CHECKS = ['jobs', 'waiting', 'trigger', 'files', 'tool', 'credential'] as const;
/** What it does without where n8n lacks it. */
export const FEATURES = ['suspension', 'highlightedData', 'hints'] as const;

export type CheckName = (typeof CHECKS)[number];
export type FeatureName = (typeof FEATURES)[number];

/** What a release's process prints, as JSON. */
export interface Report {
	/** The error of each check that failed; empty: all have passed. */
	errors: Partial<Record<CheckName | FeatureName, string>>;
	/** Whether n8n has the feature, and the package uses it. */
	features: Record<FeatureName, boolean>;
}
