import '../../engine/environment';

import { engineParts, nodeOf, signedRequest } from './engineParts';
import { runOne, runWorkflow } from './runOne';
import { warmUp } from './warmUp';

export const RUN_WAYS = ['ours', 'loop', 'itemByItem'] as const;
export type RunWay = (typeof RUN_WAYS)[number];

export interface RunJobsOptions {
	way: RunWay;
	url: string;
	jobs: number;
	scale: number;
}

/** Runs so many jobs to their ends; returns how long that took, in seconds of scaled time. */
export async function runJobs({ way, url, jobs, scale }: RunJobsOptions): Promise<number> {
	const parts = engineParts(url, { scale });
	const input = Array.from({ length: jobs }, (_, number) => ({ directive: `Job ${number}` }));
	await warmUp(parts);
	const began = performance.now();
	const output =
		way === 'loop'
			? await runWorkflow(loop(url, scale), parts, input, 'Is Finished')
			: await runOne(way === 'ours' ? ours() : itemByItem(scale), parts, input);
	const tookSeconds = ((performance.now() - began) / 1000) * scale;
	if (output.length !== jobs) throw new Error(`${way}: ${output.length} of ${jobs} jobs`);
	return tookSeconds;
}

function ours() {
	return nodeOf('browserAgent', {
		resource: 'agent',
		operation: 'run',
		directive: '={{ $json.directive }}',
	});
}

function itemByItem(scale: number) {
	return nodeOf('waitItemByItem', { everyMs: 5000 / scale });
}

// Batched so that no minute has more than 10 starts or 60 polls; the margin pays for timers that are
// late, which scaled time multiplies.
function loop(url: string, scale: number) {
	const batches = (batchSize: number, seconds: number) => ({
		batching: { batch: { batchSize, batchInterval: (seconds * 1000) / scale } },
	});
	const isFinished = {
		options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
		conditions: [
			{
				id: 'status',
				leftValue: '={{ $json.status }}',
				rightValue: 'running',
				operator: { type: 'string', operation: 'notEquals' },
			},
		],
		combinator: 'and',
	};
	const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
	return {
		nodes: [
			nodeOf(
				'n8n-nodes-base.httpRequest',
				signedRequest({
					method: 'POST',
					url: `${url}/v1/run_browser_agent`,
					sendBody: true,
					specifyBody: 'json',
					jsonBody: '={{ JSON.stringify({ directive: $json.directive }) }}',
					options: batches(10, 62),
				}),
				'Start',
			),
			nodeOf(
				'n8n-nodes-base.wait',
				{ resume: 'timeInterval', amount: 30 / scale, unit: 'seconds' },
				'Wait',
			),
			nodeOf(
				'n8n-nodes-base.httpRequest',
				signedRequest({
					url: `=${url}/v1/get_job_status/{{ $json.job_id }}`,
					options: batches(20, 31),
				}),
				'Get',
			),
			nodeOf('n8n-nodes-base.if', { conditions: isFinished, options: {} }, 'Is Finished'),
		],
		connections: {
			Start: { main: [to('Wait')] },
			Wait: { main: [to('Get')] },
			Get: { main: [to('Is Finished')] },
			'Is Finished': { main: [[], to('Wait')] },
		},
	};
}
