import '../../engine/environment';

import { CHECK_FUNCTIONS } from './checks';
import { FEATURE_FUNCTIONS } from './features';
import { CHECKS, FEATURES, type CheckName, type FeatureName, type Report } from './report';
import { Subject } from './Subject';

/** Runs all checks at the same time, each with an account of its own, in the process of one release. */
async function check(packageFolder: string, sandboxUrl: string): Promise<Report> {
	const subject = await Subject.load(packageFolder, sandboxUrl);
	const errors: Report['errors'] = {};
	const run = async <T>(name: CheckName | FeatureName, test: (own: Subject) => Promise<T>) => {
		try {
			return await test(subject.withKey(name));
		} catch (error) {
			errors[name] = error instanceof Error ? error.message : String(error);
			return undefined;
		}
	};
	const [features] = await Promise.all([
		Promise.all(
			FEATURES.map(async (name) => [name, (await run(name, FEATURE_FUNCTIONS[name])) ?? false]),
		),
		Promise.all(CHECKS.map(async (name) => await run(name, CHECK_FUNCTIONS[name]))),
	]);
	return { errors, features: Object.fromEntries(features) as Report['features'] };
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
