import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { execute } from '../../engine/engine';
import { agentNode, engineParts } from './engineParts';
import { dataBytes } from './resources';
import { warmUp } from './warmUp';

/** What to wait for. It can be sent as JSON, like the result. */
export interface WaitForManyOptions {
	url: string;
	/** Empty: a process that does nothing. */
	jobIds: string[];
	/** For how long to measure, in real time. */
	seconds: number;
}

const SETTLE_MS = 3_000;
const RESOLUTION_MS = 10;

/** What the waits cost the process. */
export interface WaitForManyResult {
	/** How late timers fire: the 99th percentile of the event loop's delay. */
	p99Ms: number;
	cpuPercent: number;
	heapBytes: number;
}

/** Waits for all these jobs in one execution; returns what that costs the process. */
export async function waitForMany({
	url,
	jobIds,
	seconds,
}: WaitForManyOptions): Promise<WaitForManyResult> {
	const parts = engineParts(url);
	const input = jobIds.map((job_id, item) => ({ json: { job_id }, pairedItem: { item } }));
	const node = agentNode({
		resource: 'job',
		operation: 'wait',
		jobId: '={{ $json.job_id }}',
		options: { maxParallelJobs: Math.max(1, jobIds.length), maxWaitMinutes: 600 },
	});
	await warmUp(parts);
	await sleep(SETTLE_MS);
	const heapBefore = dataBytes();

	const execution =
		jobIds.length === 0
			? undefined
			: execute({ nodes: [node], connections: {} }, parts, { input, startNode: node.name });
	await sleep(SETTLE_MS);

	const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	delays.enable();
	const cpu = process.cpuUsage();
	const began = performance.now();
	await sleep(seconds * 1000);
	const { user, system } = process.cpuUsage(cpu);
	const wallMs = performance.now() - began;
	delays.disable();

	const heapBytes = dataBytes() - heapBefore;
	execution?.stop();
	await execution?.finished;
	return {
		p99Ms: Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS),
		cpuPercent: ((user + system) / 1000 / wallMs) * 100,
		heapBytes,
	};
}
