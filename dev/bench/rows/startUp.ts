import path from 'node:path';

import { alternate } from '../alternate';
import type { Row } from '../Bench';
import { median, medianWithRange } from '../figures';
import { inBareChild } from '../inChild';

const KIB = 1024;

export const startUp: Row = {
	name: 'startUp',
	title: 'Start-up',

	async run(bench) {
		const { folder, packedBytes } = bench.builtPackage;
		const folders = {
			'this package': folder,
			'an empty node (the limit)': path.join(__dirname, '../emptyPackage'),
		};
		const names = Object.keys(folders) as Array<keyof typeof folders>;
		// It takes milliseconds, which other work on the machine soon doubles.
		const runs = bench.isQuick ? bench.runs : bench.runs * 3;
		const times = await alternate(names, runs, async (name) => {
			const message = { folder: folders[name] };
			return (await inBareChild(bench, 'loadPackage.js', message)) as {
				wallMs: number;
				cpuMs: number;
			};
		});
		return {
			checks: [
				{
					figureOf: 'to load',
					value: median(times['this package'].map(({ wallMs }) => wallMs)),
					atMost: 12,
					unit: ' ms',
				},
				{ figureOf: 'packed', value: packedBytes / KIB, atMost: 70, unit: ' KB' },
			],
			table: [
				['loaded', 'wall, ms', 'CPU, ms'],
				...names.map((name) => [
					name,
					medianWithRange(times[name].map(({ wallMs }) => wallMs)),
					medianWithRange(times[name].map(({ cpuMs }) => cpuMs)),
				]),
			],
			notes:
				"n8n's own loader, in a new process each time, with n8n-core loaded and the loader used once before.",
		};
	},
};
