import type { IExecuteFunctions, INodeType, IPollFunctions } from 'n8n-workflow';

import type { ServiceLimits } from '../../../nodes/service/rateLimits';
import { scaledClock } from '../../engine/scaledClock';
import type * as nodes from './nodes';

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
export function loadNodes({ scale = 1, limits }: NodeOptions = {}): {
	agent: INodeType;
	trigger: INodeType;
} {
	const { createRuntime, execute, poll, BrowserAgent, BrowserAgentTrigger } = loadBundle();
	const runtime = createRuntime({ clock: scaledClock(scale), limits });
	const agent = Object.assign(new BrowserAgent(), {
		async execute(this: IExecuteFunctions) {
			return await execute(this, runtime);
		},
	});
	const trigger = Object.assign(new BrowserAgentTrigger(), {
		async poll(this: IPollFunctions) {
			return await poll(this, runtime);
		},
	});
	return { agent, trigger };
}

/** The bundle that `main.ts` has built. */
export function loadBundle(): typeof nodes {
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- built before each run
	return require(process.env.BENCH_BUNDLE ?? '') as typeof nodes;
}
