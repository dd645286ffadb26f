import { forkSandbox } from '../../sandbox/forkSandbox';
import { alternate } from '../alternate';
import type { Check, Row } from '../Bench';
import { GET_WAYS, type GetWay } from '../cases/getJobs';
import { median, medianWithRange } from '../figures';
import { inChild } from '../inChild';
import { finishedJob } from './sandboxJobs';

const NAMES: Record<GetWay, string> = {
	ours: 'Job: Get Status',
	httpRequest: 'HTTP Request, bearer credential',
	minimal: 'minimal node with one GET',
};
const MIB = 1024 * 1024;

export const itemCost: Row = {
	name: 'itemCost',
	title: 'Cost per item',

	async run(bench) {
		const sandbox = await forkSandbox({ SANDBOX_LIMITS: 'off', SANDBOX_VALIDATE_REQUESTS: 'off' });
		try {
			const jobId = await finishedJob(sandbox, {});
			const ways = GET_WAYS.filter((way) => way !== 'httpRequest' || bench.n8n !== undefined);
			const checks: Check[] = [];
			const table = [['items', 'way', 'CPU per item, ms', 'wall, s', 'growth at its peak, MiB']];

			for (const items of bench.isQuick ? [50] : [1_000, 5_000]) {
				const results = await alternate(
					ways,
					// The whole machine has a part in it, so it takes more runs to tell the ways apart.
					bench.isQuick ? bench.runs : bench.runs * 2,
					async (way) => await inChild(bench, 'getJobs', { way, url: sandbox.url, jobId, items }),
				);
				for (const way of ways) {
					table.push([
						items.toLocaleString('en'),
						NAMES[way],
						medianWithRange(results[way].map(({ cpuMs }) => cpuMs / items)),
						medianWithRange(results[way].map(({ wallMs }) => wallMs / 1000)),
						medianWithRange(results[way].map(({ peakBytes }) => peakBytes / MIB)),
					]);
				}
				const cpu = (way: GetWay) => median(results[way].map(({ cpuMs }) => cpuMs));
				const peak = (way: GetWay) => median(results[way].map(({ peakBytes }) => peakBytes));
				const of = (what: string) => `of ${what} with ${items.toLocaleString('en')} items`;
				checks.push(
					{
						figureOf: of("the minimal node's CPU"),
						value: cpu('ours') / cpu('minimal'),
						atMost: 1.1,
					},
					{
						figureOf: of('its memory growth'),
						value: peak('ours') / peak('minimal'),
						atMost: 1.2,
					},
				);
			}
			return {
				checks,
				table,
				notes:
					"One status call for each item, the limits off. The minimal node signs with a function, which is the cheapest way there is, and asks for one item after the other: its growth is what n8n's own helper leaves to any node. Growth is the largest size of the process less its size before; each way has done 200 items before it is measured.",
			};
		} finally {
			await sandbox.close();
		}
	},
};
