import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';

import { bundleModules } from '../build/bundle';
import { runCommandLine, say } from '../commandLine';
import { isReached, type Bench, type Check, type Row } from './Bench';
import { figure } from './figures';
import { toLine, writePage, type Measurement } from './results';
import { batches } from './rows/batches';
import { bigFile } from './rows/bigFile';
import { localService } from './rows/localService';
import { pollCost } from './rows/pollCost';
import { redaction } from './rows/redaction';
import { startUp } from './rows/startUp';
import { suspendedWaits } from './rows/suspendedWaits';
import { waitingJobs } from './rows/waitingJobs';
import { waits } from './rows/waits';

const ROWS: Row[] = [
	waits,
	batches,
	suspendedWaits,
	bigFile,
	startUp,
	pollCost,
	redaction,
	waitingJobs,
	localService,
];
const USAGE = `npm run bench -- [--quick] [row …]\nThe rows: ${ROWS.map(({ name }) => name).join(', ')}`;
const RUNS = 5;
const QUICK_RUNS = 2;
// Continuous integration shares its machine, so a quick run only notices what is much too slow.
const QUICK_TOLERANCE = 1.5;
// One process per core. Above it, measured times say more about the other processes.
const MAX_LOAD = cpus().length;

/**
 * `npm run bench`: measures all rows and writes the page of results, or measures the named rows.
 * Returns whether all targets are reached. With `--quick`, only figures that don't depend on the
 * machine are judged, and each may miss its target by half.
 */
async function main(args: string[]): Promise<boolean> {
	const isQuick = args.includes('--quick');
	const names = args.filter((arg) => arg !== '--quick');
	if (names.some((name) => !ROWS.some((row) => row.name === name))) throw new Error(USAGE);
	const isChosen = (row: Row) =>
		names.length > 0 ? names.includes(row.name) : !isQuick || row.isQuick === true;

	// Inside `node_modules`, the bundle finds n8n's packages.
	const workFolder = mkdtempSync(path.join(__dirname, '../../node_modules/.bench-'));
	const bundleFile = path.join(workFolder, 'nodes.js');
	const bench = { isQuick, runs: isQuick ? QUICK_RUNS : RUNS, bundleFile, workFolder };
	const isForPage = !isQuick && names.length === 0;
	const measurements: Measurement[] = [];
	let isSuccess = true;
	try {
		await bundleModules(['./dev/engine/bundledNodes'], bundleFile);
		for (const row of ROWS.filter(isChosen)) {
			const missing = row.missing?.();
			if (missing !== undefined) {
				say(`${row.title}: LEFT OUT: there is no ${missing} here`);
				continue;
			}
			const measurement = await measure(row, bench, { isForPage });
			if (measurement !== undefined) measurements.push(measurement);
			isSuccess &&= measurement?.result.checks.every(isReached) === true;
		}
	} finally {
		rmSync(workFolder, { recursive: true, force: true });
	}
	if (isForPage) await writePage(measurements);
	return isSuccess;
}

/**
 * Runs a row and prints its figures. Returns nothing if it has failed, which doesn't end the other
 * rows, or if it was measured for the page while the machine was too busy.
 */
async function measure(
	row: Row,
	bench: Bench,
	{ isForPage }: { isForPage: boolean },
): Promise<Measurement | undefined> {
	const [loadBefore = NaN] = loadavg();
	const isTooBusy = (load: number) => isForPage && row.isSimulated !== true && load > MAX_LOAD;
	try {
		if (isTooBusy(loadBefore)) return leaveOut(row, loadBefore);
		const result = await row.run(bench);
		if (bench.isQuick) result.checks = toQuickChecks(result.checks);
		const load = Math.max(loadBefore, loadavg()[0] ?? NaN);
		if (isTooBusy(load)) return leaveOut(row, load);
		const measurement = { row, result, load };
		say(toLine(measurement));
		return measurement;
	} catch (error) {
		say(`${row.title}: FAILED: ${String(error)}`);
		return undefined;
	}
}

function leaveOut({ title }: Row, load: number): undefined {
	say(`${title}: LEFT OUT at a load average of ${figure(load)}; at most ${MAX_LOAD} is measured`);
}

/** What a quick run judges, and with which targets. */
function toQuickChecks(checks: Check[]): Check[] {
	return checks
		.filter(({ isAbsolute }) => isAbsolute !== true)
		.map((check) => ({ ...check, atMost: check.atMost * QUICK_TOLERANCE }));
}

runCommandLine(main);
