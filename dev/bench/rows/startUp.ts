import { execFile } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { packPackage, unpackPackage } from '../../n8n/packPackage';
import type { Row } from '../Bench';
import { figure } from '../figures';
import { caseEnvironment } from '../inChild';
import { toTable } from '../results';

const KB = 1_000;
const SCRIPT = path.join(__dirname, '../cases/loadPackage.js');

export const startUp: Row = {
	name: 'startUp',
	title: 'Start-up and size',

	async run(bench) {
		const { workFolder, runs } = bench;
		const archive = await packPackage(workFolder);
		const folder = await unpackPackage(workFolder, archive);
		const emptyFolder = await createEmptyPackage(workFolder);

		const times: number[] = [];
		for (let run = 0; run < runs; run++) {
			const args = [SCRIPT, emptyFolder, folder];
			const options = { env: caseEnvironment(bench) };
			const { stdout } = await promisify(execFile)(process.execPath, args, options);
			times.push(Number(stdout));
		}
		const ms = Math.min(...times);
		const { size } = await stat(archive);
		const checks = [
			{ figureOf: 'CPU to load', value: ms, atMost: 40, unit: ' ms', isAbsolute: true },
			{ figureOf: 'packed', value: size / KB, atMost: 120, unit: ' kB' },
		];
		return {
			summary: [
				`**Start-up** takes n8n ${figure(ms)} ms of CPU.`,
				`**The package** is ${figure(size / KB)} kB packed.`,
			],
			checks,
			table: toTable(checks),
			notes: `With n8n's loader, fastest of ${runs} processes.`,
		};
	},
};

async function createEmptyPackage(workFolder: string): Promise<string> {
	const folder = path.join(workFolder, 'empty');
	const packageJson = { name: 'n8n-nodes-empty', version: '1.0.0', n8n: {} };
	await mkdir(folder);
	await writeFile(path.join(folder, 'package.json'), JSON.stringify(packageJson));
	return folder;
}
