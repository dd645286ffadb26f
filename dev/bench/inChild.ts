import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import type { Bench } from './Bench';
import type { CaseName, OptionsOf, ResultOf } from './cases';

const ROOT = path.join(__dirname, '../..');

/** The message that a child process sends back. */
export type ChildAnswer = { result: unknown } | { error: string };

/** Runs a case in a process of its own. */
export async function inChild<Name extends CaseName>(
	bench: Bench,
	name: Name,
	options: OptionsOf<Name>,
): Promise<ResultOf<Name>> {
	const child = fork(path.join(__dirname, 'child.ts'), {
		execArgv: ['--expose-gc', '--import', 'tsx'],
		cwd: ROOT,
		env: caseEnvironment(bench),
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	});
	const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
	child.send({ name, options });
	const answered = once(child, 'message') as Promise<[ChildAnswer]>;
	const failed = exit.then(([code, signal]) => {
		throw new Error(`${name} ended with ${String(code ?? signal)} before there was a result`);
	});
	const [answer] = await Promise.race([answered, failed]);
	failed.catch(() => {});
	child.disconnect();
	await exit;
	if ('error' in answer) throw new Error(answer.error);
	return answer.result as ResultOf<Name>;
}

/** The environment of a case's process. */
export function caseEnvironment({ workFolder, bundleFile }: Bench): NodeJS.ProcessEnv {
	return {
		...process.env,
		NODE_ENV: 'production',
		N8N_USER_FOLDER: workFolder,
		N8N_ENCRYPTION_KEY: 'for benchmarks only',
		N8N_LOG_LEVEL: 'silent',
		BENCH_BUNDLE: bundleFile,
	};
}
