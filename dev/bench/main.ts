import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';

import { bundleModules } from '../build/bundle';
import { runCommandLine, say } from '../commandLine';
import { isReached, type Bench, type Row } from './Bench';
import { toLine, writeResult } from './results';
import { bigFile } from './rows/bigFile';
import { suspendedWaits } from './rows/suspendedWaits';
import { waitingJobs } from './rows/waitingJobs';
import { waits } from './rows/waits';

const ROWS: Row[] = [waits, suspendedWaits, waitingJobs, bigFile];
const RUNS = 5;
const USAGE = `npm run bench -- [--quick] [row …]\nThe rows: ${ROWS.map(({ name }) => name).join(', ')}`;

/**
 * `npm run bench`: measures all rows or the named ones; returns whether all targets are reached.
 */
async function main(args: string[]): Promise<boolean> {
	const isQuick = args.includes('--quick');
	const names = args.filter((arg) => arg !== '--quick');
	const rows = ROWS.filter(({ name }) => names.length === 0 || names.includes(name));
	if (names.some((name) => !ROWS.some((row) => row.name === name))) throw new Error(USAGE);

	// Inside `node_modules`, the bundle finds n8n's packages.
	const workFolder = mkdtempSync(path.join(__dirname, '../../node_modules/.bench-'));
	try {
		const bench = await prepare(workFolder, isQuick);
		let areAllReached = true;
		for (const row of rows) areAllReached = (await measure(row, bench)) && areAllReached;
		return areAllReached;
	} finally {
		rmSync(workFolder, { recursive: true, force: true });
	}
}

// An error in one row does not end the others.
async function measure(row: Row, bench: Bench): Promise<boolean> {
	try {
		const result = await row.run(bench);
		const isJudged = !bench.isQuick || row.isSimulated === true;
		say(toLine(row, result, isJudged));
		if (!bench.isQuick) await writeResult(row, result);
		return !isJudged || result.checks.every(isReached);
	} catch (error) {
		say(`${row.title.padEnd(22)} FAILED       ${String(error)}`);
		return false;
	}
}

async function prepare(workFolder: string, isQuick: boolean): Promise<Bench> {
	const bundleFile = path.join(workFolder, 'nodes.js');
	await bundleModules(['./dev/engine/bundledNodes'], bundleFile);
	return { isQuick, runs: isQuick ? 1 : RUNS, bundleFile, workFolder };
}

runCommandLine(main);
