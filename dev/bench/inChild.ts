import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import type { Bench } from './Bench';
import type { CaseName, OptionsOf, ResultOf } from './cases';

const ROOT = path.join(__dirname, '../..');

/** What a child answers. */
export type ChildAnswer = { result: unknown } | { error: string };

/**
 * Runs a case in a process of its own: on the n8n host's Node.js, with n8n's packages from there,
 * or, without a host, on this project's own.
 */
export async function inChild<Name extends CaseName>(
	bench: Bench,
	name: Name,
	options: OptionsOf<Name>,
): Promise<ResultOf<Name>> {
	const entry = ['--import', 'tsx'];
	return (await ask(bench, 'child.ts', entry, { name, options })) as ResultOf<Name>;
}

/** The same for a script without TypeScript, whose loader would slow down what is measured. */
export async function inBareChild(bench: Bench, script: string, message: object): Promise<unknown> {
	return await ask(bench, script, [], message);
}

async function ask(
	{ n8n, workFolder, bundleFile }: Bench,
	script: string,
	execArgv: string[],
	message: object,
): Promise<unknown> {
	const child = fork(path.join(__dirname, script), {
		execPath: n8n?.node.program ?? process.execPath,
		execArgv: ['--expose-gc', '--require', path.join(__dirname, 'hostModules.js'), ...execArgv],
		cwd: ROOT,
		env: {
			...process.env,
			NODE_ENV: 'production',
			N8N_USER_FOLDER: workFolder,
			N8N_ENCRYPTION_KEY: 'for benchmarks only',
			N8N_LOG_LEVEL: 'silent',
			BENCH_BUNDLE: bundleFile,
			BENCH_MODULES: n8n?.modules ?? path.join(ROOT, 'node_modules'),
			...(n8n === undefined ? {} : { BENCH_HAS_N8N: 'yes' }),
		},
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	});
	const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
	child.send(message);
	const answered = once(child, 'message') as Promise<[ChildAnswer]>;
	const failed = exit.then(([code, signal]) => {
		throw new Error(`${script} ended with ${String(code ?? signal)} before it had a result`);
	});
	const [answer] = await Promise.race([answered, failed]);
	failed.catch(() => {});
	child.disconnect();
	await exit;
	if ('error' in answer) throw new Error(answer.error);
	return answer.result;
}
