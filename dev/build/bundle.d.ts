import type { BuildOptions } from 'esbuild';

/** Builds the package into `folder`, as it is published. */
export function bundle(folder: string): Promise<void>;

/** Bundles what these modules export, named by their paths in this project, into one file. */
export function bundleModules(
	modules: string[],
	outfile: string,
	options?: BuildOptions,
): Promise<void>;
