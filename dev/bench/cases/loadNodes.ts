import type * as bundledNodes from '../../engine/bundledNodes';
import { createNodes } from '../../engine/createNodes';

/** The nodes and the credential of the bundle, on a new runtime. */
export function loadNodes() {
	// oxlint-disable-next-line typescript/no-require-imports -- built before each run
	const bundle = require(process.env.BENCH_BUNDLE ?? '') as typeof bundledNodes;
	return { ...createNodes(bundle, {}), credential: new bundle.BrowserAgentApi() };
}
