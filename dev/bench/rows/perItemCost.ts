import { forkSandbox } from '../../sandbox/forkSandbox';
import { alternate } from '../alternate';
import type { Check, Row } from '../Bench';
import { GET_WAYS, type GetWay } from '../cases/getJobs';
import { median, shown } from '../figures';
import { inChild } from '../inChild';
import { finishedJob } from './sandboxJobs';

const NAMES: Record<GetWay, string> = {
	ours: 'Job: Get Status',
	httpRequest: 'HTTP Request, bearer credential',
	minimal: 'minimal node with one GET',
	axios: 'plain axios loop (the floor)',
};
const MIB = 1024 * 1024;

export const perItemCost: Row = {
	name: 'perItemCost',
	title: 'Per-item cost',

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
						shown(results[way].map(({ cpuMs }) => cpuMs / items)),
						shown(results[way].map(({ wallMs }) => wallMs / 1000)),
						shown(results[way].map(({ peakBytes }) => peakBytes / MIB)),
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
				if (!ways.includes('httpRequest')) continue;
				checks.push(
					{
						figureOf: of("the HTTP Request node's CPU"),
						value: cpu('ours') / cpu('httpRequest'),
						atMost: 0.95,
					},
					{
						figureOf: of('its memory growth'),
						value: peak('ours') / peak('httpRequest'),
						atMost: 0.5,
						floor: {
							value: peak('minimal') / peak('httpRequest'),
							who: 'the minimal node',
						},
					},
				);
			}
			return {
				checks,
				table,
				notes:
					"One status call for each item, the limits off. The minimal node signs with a function, which is the cheapest way there is, and asks for one item after the other: what it grows by is what n8n's own helper leaves to any node. Growth is the largest size of the process less its size before; each way has done 200 items before it is measured.",
			};
		} finally {
			await sandbox.close();
		}
	},
};
