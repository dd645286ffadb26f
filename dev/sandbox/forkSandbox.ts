import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { AdminClient } from './AdminClient';
import type { Sandbox } from './startSandbox';

/**
 * Starts the sandbox in a child process, on free ports unless `env` sets them. The child exits on
 * `close()` or when this process exits. Rejects when the child exits before it is ready.
 */
export async function forkSandbox(env: Record<string, string> = {}): Promise<Sandbox> {
	const child = fork(join(__dirname, 'main.ts'), {
		// The tsx command would run Node in yet another process and not pass the disconnect on.
		execArgv: ['--import', 'tsx'],
		cwd: join(__dirname, '../..'),
		env: { ...process.env, SANDBOX_PORT: '0', SANDBOX_FILES_PORT: '0', ...env },
		stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
	});
	const exit = once(child, 'exit');
	const ready = once(child, 'message') as Promise<[Pick<Sandbox, 'url' | 'filesUrl'>]>;
	const failed = exit.then(([code]) => {
		throw new Error(`The sandbox exited with code ${String(code)} before it was ready`);
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
