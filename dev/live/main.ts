import { say } from '../commandLine';
import { stopSignal } from '../sandbox/stopSignal';
import { checkService, describeCost, type Report } from './checkService';
import { readLiveSettings } from './settings';

/** Something is other than documented or assumed. */
const OTHER = 1;
/** Not everything could be checked. */
const NOT_CHECKED = 2;

/** `npm run test:live`: checks a service against its document and the assumptions about it. */
async function main(): Promise<number> {
	const signal = stopSignal();
	const settings = readLiveSettings(process.env);
	say(describeCost(settings));
	say('');
	const report = await checkService(settings, { say, signal });
	say('');
	say(report.findings.toTable());
	return sayEnd(report);
}

function sayEnd({ findings, stoppedBecause, stillRunning }: Report): number {
	for (const id of stillRunning) {
		say(`Job ${id} may still be running: pause it where the service lists jobs.`);
	}
	if (stoppedBecause !== undefined) say(`Not everything was checked: ${stoppedBecause}.`);
	if (findings.others.length > 0) {
		say('What to do with a row that says other: docs/live.md');
		return OTHER;
	}
	return stoppedBecause === undefined && stillRunning.length === 0 ? 0 : NOT_CHECKED;
}

main().then(
	(code) => process.exit(code),
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
		process.exit(NOT_CHECKED);
	},
);
