import { startSandbox } from '../../sandbox/startSandbox';
import { alternate } from '../alternate';
import { WAYS, type Check, type Row } from '../Bench';
import { inChild } from '../inChild';
import { GROWTH, HEAD, shareCheck, toCells } from './besideMinimal';
import { finishedJob } from './sandboxJobs';

const NAMES = { ours: 'Job: Get Status', minimal: 'minimal node with one GET' };

export const itemCost: Row = {
	name: 'itemCost',
	title: 'Cost per item',

	async run(bench) {
		const sandbox = await startSandbox({ limits: 'off' });
		try {
			const { url } = sandbox;
			const jobId = await finishedJob(sandbox, {});
			const checks: Check[] = [];
			const table = [['items', ...HEAD]];

			for (const items of bench.isQuick ? [50] : [1_000, 5_000]) {
				// The whole machine has a part in it, so it takes more runs to tell the ways apart.
				const runs = bench.isQuick ? bench.runs : bench.runs * 2;
				const results = await alternate(WAYS, runs, async (way) => {
					return await inChild(bench, 'getJobs', { way, url, jobId, items });
				});
				const count = items.toLocaleString('en');
				for (const way of WAYS) table.push([count, ...toCells(NAMES[way], results[way])]);
				checks.push(
					shareCheck('cpuMs', `of the minimal node's CPU with ${count} items`, results, 1.1),
					shareCheck('peakBytes', `of its memory growth with ${count} items`, results, 1.2),
				);
			}
			return {
				checks,
				table,
				notes: `One status call for each item, the limits off. The minimal node signs with a function, which is the cheapest way there is, and asks for one item after the other: its growth is what n8n's own helper leaves to any node. ${GROWTH}`,
			};
		} finally {
			await sandbox.close();
		}
	},
};
