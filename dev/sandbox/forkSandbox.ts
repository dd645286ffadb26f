import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { AdminClient } from './AdminClient';
import type { Sandbox } from './startSandbox';

/**
 * Starts `main.ts` as a process of its own, on free ports unless `env` says otherwise. It ends with
 * `close()`, and also when this process does. Node loads tsx here, since the tsx command would stand
 * in between and not pass the end on.
 */
export async function forkSandbox(env: Record<string, string> = {}): Promise<Sandbox> {
	const child = fork(join(__dirname, 'main.ts'), {
		execArgv: ['--import', 'tsx'],
		cwd: join(__dirname, '../..'),
		env: { ...process.env, SANDBOX_PORT: '0', SANDBOX_FILES_PORT: '0', ...env },
		stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
	});
	const exit = once(child, 'exit');
	const ready = once(child, 'message') as Promise<[Pick<Sandbox, 'url' | 'filesUrl'>]>;
	const failed = exit.then(([code]) => {
		throw new Error(`The sandbox ended with code ${String(code)} before it was ready`);
	});
	const [{ url, filesUrl }] = await Promise.race([ready, failed]);
	failed.catch(() => {});
	return {
		url,
		filesUrl,
		admin: new AdminClient(url),
		close: async () => {
			if (child.connected) child.disconnect();
			await exit;
		},
	};
}
