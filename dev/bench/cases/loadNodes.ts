import type * as bundledNodes from '../../engine/bundledNodes';
import { createNodes } from '../../engine/createNodes';

/** What the bundle has, on a runtime of its own: it knows of no earlier calls. */
export function loadNodes() {
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- built before each run
	const bundle = require(process.env.BENCH_BUNDLE ?? '') as typeof bundledNodes;
	return { ...createNodes(bundle, {}), credential: new bundle.BrowserAgentApi() };
}
