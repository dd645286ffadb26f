import { loadPackage } from '../../engine/loadPackage';
import type { Report } from '../checkRelease';
import { CHECKS } from './checks';
import { FEATURES } from './features';
import { Subject } from './Subject';

// With one account, the checks would wait for each other: the node keeps its rate limits.
const KEYS = ['sandbox-pro-key', 'sandbox-enterprise-key'];

/** Runs all checks at the same time, in the process of one release. */
async function check(packageFolder: string, sandboxUrl: string): Promise<Report> {
	const classes = await loadPackage(packageFolder);
	const report: Report = { errors: {}, unused: [] };
	const runs = Object.entries({ ...CHECKS, ...FEATURES }).map(async ([name, run], index) => {
		try {
			const isUsed = await run(new Subject(classes, sandboxUrl, KEYS[index % KEYS.length] ?? ''));
			if (isUsed === false) report.unused.push(name);
		} catch (error) {
			report.errors[name] = error instanceof Error ? error.message : String(error);
		}
	});
	await Promise.all(runs);
	return report;
}

const [packageFolder = '', sandboxUrl = ''] = process.argv.slice(2);
check(packageFolder, sandboxUrl).then(
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
