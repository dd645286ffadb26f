import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const ROOT = path.join(__dirname, '../..');
const START_LIMIT_MS = 150_000;

/** `npm run service`, without npm: the local service as a process of its own, which can be killed. */
export class ServiceProcess {
	stdout = '';
	stderr = '';
	private readonly child: ChildProcess;
	private readonly exit: Promise<unknown[]>;

	/** `env` is all that it has of the environment, beside `PATH`. `main` is its program. */
	constructor(env: Record<string, string>, main = 'local-service/main.ts') {
		this.child = spawn(process.execPath, ['--import', 'tsx', path.join(ROOT, main)], {
			cwd: ROOT,
			env: { PATH: process.env.PATH, UV_THREADPOOL_SIZE: '32', ...env },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		this.child.stdout?.on('data', (chunk) => (this.stdout += String(chunk)));
		this.child.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
		this.exit = once(this.child, 'exit');
	}

	get processId(): number {
		return this.child.pid ?? 0;
	}

	/** Resolves with its address and key when it has printed them. Rejects if it ends before. */
	async started(): Promise<{ url: string; apiKey: string }> {
		const read = (name: string) => new RegExp(`^${name} +(\\S+)$`, 'm').exec(this.stdout)?.[1];
		const signal = AbortSignal.timeout(START_LIMIT_MS);
		for (;;) {
			const [url, apiKey] = [read('Base URL'), read('API key')];
			if (url !== undefined && apiKey !== undefined) return { url, apiKey };
			const printed = once(this.child.stdout!, 'data', { signal });
			const hasEnded = await Promise.race([printed.then(() => false), this.exit.then(() => true)]);
			if (hasEnded) throw new Error(this.stdout + this.stderr);
		}
	}

	/** Resolves with its exit code, or null after a kill. */
	async ended(): Promise<number | null> {
		const [code] = await this.exit;
		return code as number | null;
	}

	kill(signal: NodeJS.Signals): void {
		this.child.kill(signal);
	}
}
