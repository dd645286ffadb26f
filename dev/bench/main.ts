import { mkdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

import { hasN8n, installN8n } from '../n8n/installN8n';
import { createWorkFolder, packPackage } from '../n8n/packPackage';
import { runCommand } from '../n8n/runCommand';
import { isGood, type Bench, type Row, type RowResult } from './Bench';
import { toLine } from './report';
import { writeResults } from './results';
import { bigFile } from './rows/bigFile';
import { idleCost } from './rows/idleCost';
import { manyWaits } from './rows/manyWaits';
import { perItemCost } from './rows/perItemCost';
import { seeingTheEnd } from './rows/seeingTheEnd';
import { startUp } from './rows/startUp';
import { triggerTick } from './rows/triggerTick';

const ROWS: Row[] = [startUp, perItemCost, bigFile, triggerTick, idleCost, manyWaits, seeingTheEnd];
const RUNS = 5;
const USAGE = `npm run bench -- [--quick] [row …]\nThe rows: ${ROWS.map(({ name }) => name).join(', ')}`;

/**
 * `npm run bench`: measures all rows, or those that are named, writes the page of results, and
 * returns whether all figures are reached. `--quick` only sees that everything works.
 */
async function main(args: string[]): Promise<boolean> {
	const isQuick = args.includes('--quick');
	const names = args.filter((arg) => arg !== '--quick');
	const rows = ROWS.filter(({ name }) => names.length === 0 || names.includes(name));
	if (names.some((name) => !ROWS.some((row) => row.name === name))) throw new Error(USAGE);

	const workFolder = createWorkFolder();
	try {
		const bench = await prepare(workFolder, isQuick);
		const results = new Map<Row, RowResult>();
		for (const row of rows) {
			const result = await resultOf(row, bench);
			say(toLine(row, result, bench));
			results.set(row, result);
		}
		const all = [...results.values()];
		if (isQuick) return all.every(({ fault }) => fault === undefined);
		await writeResults(bench, ROWS, results);
		return all.every(isGood);
	} finally {
		rmSync(workFolder, { recursive: true, force: true });
	}
}

// What one row breaks off at takes nothing from the others.
async function resultOf(row: Row, bench: Bench): Promise<RowResult> {
	try {
		return await row.run(bench);
	} catch (error) {
		const fault = error instanceof Error ? error.message : String(error);
		return { checks: [], table: [], notes: '', fault };
	}
}

async function prepare(workFolder: string, isQuick: boolean): Promise<Bench> {
	const isLeftOut = isQuick && !hasN8n();
	if (isLeftOut) say('There is no n8n in the cache: what is compared with its nodes is left out.');
	const n8n = isLeftOut ? undefined : await installN8n(say);

	const archive = await packPackage(workFolder);
	const folder = path.join(workFolder, 'package');
	mkdirSync(folder);
	await runCommand('tar', ['-xzf', archive, '-C', folder, '--strip-components=1'], {
		purpose: 'Unpacking the package',
	});
	const builtPackage = { folder, packedBytes: statSync(archive).size };
	return { isQuick, runs: isQuick ? 1 : RUNS, n8n, builtPackage, workFolder };
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

main(process.argv.slice(2)).then(
	(isGood) => {
		process.exitCode = isGood ? 0 : 1;
	},
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
		process.exitCode = 1;
	},
);
