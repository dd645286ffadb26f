import '../../engine/environment';

import type { INode } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { execute, type EngineParts } from '../../engine/engine';
import { engineParts, nodeOf } from './engineParts';
import { loadBundle, loadNodes } from './loadNodes';
import { collectGarbage, dataBytes } from './resources';
import { warmUp } from './warmUp';

export interface SoakOptions {
	url: string;
	scale: number;
	/** One account each. */
	keys: string[];
	/** In simulated time. */
	hours: number;
	jobs: number;
}

export interface SoakResult {
	/** The heap after a warm-up, after the first half, and at the end, each with no execution running. */
	heapBytes: number[];
	succeeded: number;
	failed: number;
	stopped: number;
}

const HOUR_MS = 3_600_000;
const MAX_ITEMS = 3;
const STOPPED_SHARE = 0.1;
const WARM_UP_SHARE = 0.1;
const COLLECTIONS = 5;
const BETWEEN_COLLECTIONS_MS = 200;
const MAX_MINUTES_UNTIL_STOP = 20;

/** Runs executions at random times for so many hours; some fail and some are stopped. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
	const { url, scale, keys, hours, jobs } = options;
	const { agent } = loadNodes({ scale });
	const accounts = keys.map((apiKey) => toParts(engineParts(url), agent, { baseUrl: url, apiKey }));
	const result: SoakResult = { heapBytes: [], succeeded: 0, failed: 0, stopped: 0 };
	const executions = Math.ceil(jobs / ((MAX_ITEMS + 1) / 2));
	const pauseMs = (hours * HOUR_MS) / scale / executions;

	const runSome = async (count: number) => {
		const running = new Set<Promise<void>>();
		for (let index = 0; index < count; index++) {
			const parts = accounts[index % accounts.length] as EngineParts;
			const items = 1 + Math.floor(Math.random() * MAX_ITEMS);
			const run = runOnce(parts, scale, result, items);
			running.add(run);
			void run.then(() => running.delete(run));
			await sleep(2 * pauseMs * Math.random());
		}
		await Promise.all(running);
		result.heapBytes.push(await settledBytes());
	};

	await warmUp(engineParts(url));
	// The code for failures and stops is loaded when it is first used.
	await runSome(executions * WARM_UP_SHARE);
	Object.assign(result, { succeeded: 0, failed: 0, stopped: 0 });
	await runSome(executions / 2);
	await runSome(executions / 2);
	return result;
}

// What a collection finds to be gone is removed from Node.js's own registries in later turns.
async function settledBytes(): Promise<number> {
	for (let count = 0; count < COLLECTIONS; count++) {
		collectGarbage();
		await sleep(BETWEEN_COLLECTIONS_MS);
	}
	return dataBytes();
}

async function runOnce(
	parts: EngineParts,
	scale: number,
	result: SoakResult,
	items: number,
): Promise<void> {
	const node: INode = nodeOf('browserAgent', {
		resource: 'agent',
		operation: 'run',
		directive: '=Task {{ $itemIndex }}',
	});
	const input = Array.from({ length: items }, (_, item) => ({ json: {}, pairedItem: { item } }));
	const execution = execute({ nodes: [node], connections: {} }, parts, {
		input,
		startNode: node.name,
	});
	const stopAfterMs = (Math.random() * MAX_MINUTES_UNTIL_STOP * 60_000) / scale;
	if (Math.random() < STOPPED_SHARE) setTimeout(() => execution.stop(), stopAfterMs);
	const { status } = await execution.finished;
	if (status === 'success') result.succeeded++;
	else if (status === 'canceled') result.stopped++;
	else result.failed++;
}

function toParts(
	parts: EngineParts,
	agent: ReturnType<typeof loadNodes>['agent'],
	data: { baseUrl: string; apiKey: string },
): EngineParts {
	const { BrowserAgentApi } = loadBundle();
	return {
		nodeTypes: { ...parts.nodeTypes, browserAgent: agent },
		credentials: { ...parts.credentials, browserAgentApi: { type: new BrowserAgentApi(), data } },
	};
}
