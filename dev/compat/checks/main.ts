import '../../engine/environment';

import type { Report } from '../checkRelease';
import { CHECKS } from './checks';
import { FEATURES } from './features';
import { Subject } from './Subject';

/** Runs all checks at the same time, each with an account of its own, in the process of one release. */
async function check(packageFolder: string, sandboxUrl: string, keys: string[]): Promise<Report> {
	const subject = await Subject.load(packageFolder, sandboxUrl);
	const report: Report = { errors: {}, unused: [] };
	const runs = Object.entries({ ...CHECKS, ...FEATURES }).map(async ([name, run], index) => {
		try {
			const isUsed = await run(subject.withKey(keys[index] ?? ''));
			if (isUsed === false) report.unused.push(name);
		} catch (error) {
			report.errors[name] = error instanceof Error ? error.message : String(error);
		}
	});
	await Promise.all(runs);
	return report;
}

const [packageFolder = '', sandboxUrl = '', ...keys] = process.argv.slice(2);
check(packageFolder, sandboxUrl, keys).then(
	(report) => {
		// Connections that n8n keeps open would delay the end.
		process.stdout.write(`\n${JSON.stringify(report)}\n`, () => process.exit());
	},
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? String(error.stack) : String(error)}\n`, () =>
			process.exit(1),
		);
	},
);
