import type { ServiceLimits } from '../../../nodes/service/documentedValues';
import type * as bundledNodes from '../../engine/bundledNodes';
import { createNodes } from '../../engine/createNodes';
import { scaledClock } from '../../engine/scaledClock';

/** The time and the limits of the nodes under test. */
export interface NodeOptions {
	/** How many times as fast as real time theirs runs. Default 1. */
	scale?: number;
	limits?: ServiceLimits;
}

const MANY = { calls: 1_000_000, windowMs: 1 };

/** For what a call costs, without what it waits. */
export const NO_LIMITS: ServiceLimits = { start: MANY, status: MANY, balance: MANY };

/** Both nodes of the bundle, on a runtime of their own: they know of no earlier calls. */
export function loadNodes({ scale = 1, limits }: NodeOptions = {}) {
	return createNodes(loadBundle(), { clock: scaledClock(scale), limits });
}

export function loadBundle(): typeof bundledNodes {
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- built before each run
	return require(process.env.BENCH_BUNDLE ?? '') as typeof bundledNodes;
}
