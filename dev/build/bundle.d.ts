import type { BuildOptions } from 'esbuild';

/** Builds the package into `folder`, as it is published. */
export function bundle(folder: string): Promise<void>;

/**
 * Bundles what these modules export, named by their paths in this project, into one file. All that they
 * import comes along, except for what users have.
 */
export function bundleModules(
	modules: string[],
	outfile: string,
	options?: BuildOptions,
): Promise<void>;
