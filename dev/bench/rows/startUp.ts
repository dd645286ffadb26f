import path from 'node:path';

import { alternate } from '../alternate';
import type { Bench, Row } from '../Bench';
import { median, medianWithRange } from '../figures';
import { inBareChild } from '../inChild';

const KIB = 1024;

/** What the loader is asked to load. */
interface Loadable {
	name: string;
	folder: string;
	/** One node of a package; unset: all of it. */
	file?: string;
}

interface LoadTime {
	wallMs: number;
	cpuMs: number;
}

export const startUp: Row = {
	name: 'startUp',
	title: 'Start-up',

	async run(bench) {
		const { folder, packedBytes } = bench.builtPackage;
		const ours: Loadable = { name: 'this package', folder };
		const empty = {
			name: 'an empty node (the limit)',
			folder: path.join(__dirname, '../emptyPackage'),
		};
		const loadables: Loadable[] = [ours, empty, ...n8nNode(bench)];
		const byName = new Map(loadables.map((one) => [one.name, one]));
		// It takes milliseconds, which other work on the machine soon doubles.
		const runs = bench.isQuick ? bench.runs : bench.runs * 3;
		const times = await alternate([...byName.keys()], runs, async (name) => {
			const { folder, file } = byName.get(name) as Loadable;
			return (await inBareChild(bench, 'loadPackage.js', { folder, file })) as LoadTime;
		});
		return {
			checks: [
				{
					figureOf: 'to load',
					value: median((times[ours.name] ?? []).map(({ wallMs }) => wallMs)),
					atMost: 12,
					unit: ' ms',
				},
				{ figureOf: 'packed', value: packedBytes / KIB, atMost: 70, unit: ' KB' },
			],
			table: [
				['loaded', 'wall, ms', 'CPU, ms'],
				...loadables.map(({ name }) => [
					name,
					medianWithRange((times[name] ?? []).map(({ wallMs }) => wallMs)),
					medianWithRange((times[name] ?? []).map(({ cpuMs }) => cpuMs)),
				]),
			],
			notes:
				"n8n's own loader, in a new process each time, with n8n-core loaded and the loader used once before. Of n8n's own package only the HTTP Request node is loaded.",
		};
	},
};

function n8nNode({ n8n }: Bench): Loadable[] {
	if (n8n === undefined) return [];
	return [
		{
			name: "n8n's HTTP Request node",
			folder: path.join(n8n.modules, 'n8n-nodes-base'),
			file: 'dist/nodes/HttpRequest/HttpRequest.node.js',
		},
	];
}
