import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import type { Bench } from './Bench';
import type { CaseName, OptionsOf, ResultOf } from './cases';

const ROOT = path.join(__dirname, '../..');

/** What a child answers. */
export type ChildAnswer = { result: unknown } | { error: string };

/** Runs a case in a process of its own. */
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
	{ workFolder, bundleFile }: Bench,
	script: string,
	execArgv: string[],
	message: object,
): Promise<unknown> {
	const child = fork(path.join(__dirname, script), {
		execArgv: ['--expose-gc', ...execArgv],
		cwd: ROOT,
		env: {
			...process.env,
			NODE_ENV: 'production',
			N8N_USER_FOLDER: workFolder,
			N8N_ENCRYPTION_KEY: 'for benchmarks only',
			N8N_LOG_LEVEL: 'silent',
			BENCH_BUNDLE: bundleFile,
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
