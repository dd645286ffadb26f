/** A release of n8n, with the version of its engine, which is numbered differently before 2.0. */
export interface Release {
	n8n: string;
	core: string;
}

/**
 * The releases of the table, newest first. Each one's engine can be installed from the npm
 * registry.
 */
export const RELEASES: Release[] = [
	{ n8n: '2.41.1', core: '2.41.1' },
	{ n8n: '2.20.0', core: '2.20.0' },
	{ n8n: '2.0.0', core: '2.0.0' },
	{ n8n: '1.123.81', core: '1.122.48' },
	{ n8n: '1.99.1', core: '1.98.0' },
	{ n8n: '1.81.4', core: '1.80.2' },
];
