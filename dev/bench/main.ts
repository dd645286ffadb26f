import { mkdtempSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

import { bundleModules } from '../build/bundle';
import { runCommandLine, say } from '../commandLine';
import { packPackage, unpackPackage } from '../n8n/packPackage';
import { isReached, type Bench, type Row } from './Bench';
import { toLine, writeResult } from './results';
import { bigFile } from './rows/bigFile';
import { itemCost } from './rows/itemCost';
import { makespan } from './rows/makespan';
import { oneJob } from './rows/oneJob';
import { startUp } from './rows/startUp';
import { triggerPoll } from './rows/triggerPoll';
import { waitingJobs } from './rows/waitingJobs';
import { waitTogether } from './rows/waitTogether';

const ROWS: Row[] = [
	startUp,
	itemCost,
	bigFile,
	triggerPoll,
	waitingJobs,
	makespan,
	waitTogether,
	oneJob,
];
const RUNS = 5;
const USAGE = `npm run bench -- [--quick] [row …]\nThe rows: ${ROWS.map(({ name }) => name).join(', ')}`;

/** `npm run bench`: measures all rows or the named ones; returns whether all targets are reached. */
async function main(args: string[]): Promise<boolean> {
	const isQuick = args.includes('--quick');
	const names = args.filter((arg) => arg !== '--quick');
	const rows = ROWS.filter(({ name }) => names.length === 0 || names.includes(name));
	if (names.some((name) => !ROWS.some((row) => row.name === name))) throw new Error(USAGE);

	// Here, what is measured finds n8n's packages.
	const workFolder = mkdtempSync(path.join(__dirname, '../../node_modules/.bench-'));
	try {
		const bench = await prepare(workFolder, isQuick);
		let areAllGood = true;
		for (const row of rows) areAllGood = (await measure(row, bench)) && areAllGood;
		return areAllGood;
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
		say(`${row.title.padEnd(15)} FAILED       ${String(error)}`);
		return false;
	}
}

async function prepare(workFolder: string, isQuick: boolean): Promise<Bench> {
	const archive = await packPackage(workFolder);
	const folder = await unpackPackage(workFolder, archive);
	const builtPackage = { folder, packedBytes: statSync(archive).size };
	const bundleFile = path.join(workFolder, 'nodes.js');
	await bundleModules(['./dev/engine/bundledNodes'], bundleFile);
	return { isQuick, runs: isQuick ? 1 : RUNS, builtPackage, bundleFile, workFolder };
}

runCommandLine(main);
