import { spawn, type ChildProcess } from 'node:child_process';

interface ManagedProcessOptions {
	/** For messages, e.g. "n8n". */
	name: string;
	env?: NodeJS.ProcessEnv;
	cwd?: string;
	uid?: number;
	gid?: number;
	/** The signal that stops it. Default SIGTERM. */
	stopSignal?: NodeJS.Signals;
}

const STOP_TIMEOUT_MS = 20_000;
const CHECK_INTERVAL_MS = 200;

const running = new Set<ManagedProcess>();

/**
 * Stops all running processes, commands included, the latest first: it may depend on earlier ones.
 */
export async function stopAllProcesses(): Promise<void> {
	for (let last = [...running].at(-1); last; last = [...running].at(-1)) await last.stop();
}

/**
 * A child process that runs in the background until it is stopped; what it has started ends with
 * it.
 */
export class ManagedProcess {
	readonly pid: number;
	/** Resolves when the process has ended and its output is complete. */
	readonly ended: Promise<void>;
	/** Everything printed so far, stdout and stderr. */
	output = '';
	stdout = '';
	/** Unset while it runs. */
	end?: { code: number | null; signal: NodeJS.Signals | null };

	private constructor(
		private readonly child: ChildProcess,
		readonly name: string,
		private readonly stopSignal: NodeJS.Signals,
	) {
		this.pid = child.pid ?? 0;
		running.add(this);
		child.once('exit', (code, signal) => {
			this.end = { code, signal };
			running.delete(this);
			this.killGroup();
		});
		this.ended = new Promise((resolve) => child.once('close', () => resolve()));
		for (const stream of [child.stdout, child.stderr]) {
			stream?.setEncoding('utf8').on('data', (text: string) => {
				this.output += text;
				if (stream === child.stdout) this.stdout += text;
			});
		}
	}

	/** Rejects when the command can't be started, such as one that is not installed. */
	static async start(
		command: string,
		args: string[],
		{ name, stopSignal = 'SIGTERM', ...options }: ManagedProcessOptions,
	): Promise<ManagedProcess> {
		const child = spawn(command, args, {
			...options,
			stdio: ['ignore', 'pipe', 'pipe'],
			// A process group of its own: Ctrl+C in the terminal reaches only this process, which stops
			// the others in order.
			detached: true,
		});
		await new Promise<void>((resolve, reject) => {
			child.once('spawn', resolve);
			child.once('error', reject);
		});
		return new ManagedProcess(child, name, stopSignal);
	}

	/**
	 * Waits until `isReady` resolves to true. Throws when the process ends before that, or after
	 * `timeoutMs`.
	 */
	async waitUntilReady(isReady: () => Promise<boolean>, timeoutMs: number): Promise<void> {
		const deadline = Date.now() + timeoutMs;
		for (;;) {
			if (this.end) throw this.startError('ended while it was starting');
			if (await isReady().catch(() => false)) return;
			if (Date.now() > deadline) throw this.startError(`was not ready after ${timeoutMs / 1000} s`);
			await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
		}
	}

	/** Sends the stop signal, and SIGKILL if the process is still running after 20 s. */
	async stop(): Promise<void> {
		if (this.end) return;
		this.child.kill(this.stopSignal);
		const timer = setTimeout(() => this.killGroup(), STOP_TIMEOUT_MS);
		await this.ended;
		clearTimeout(timer);
	}

	/** Kills the process and its group at once, as a crash would. */
	async kill(): Promise<void> {
		if (this.end) return;
		this.killGroup();
		await this.ended;
	}

	private killGroup(): void {
		try {
			process.kill(-this.pid, 'SIGKILL');
		} catch {
			// The group has ended, or, on Windows, there is none.
			this.child.kill('SIGKILL');
		}
	}

	private startError(what: string): Error {
		return new Error(`${this.name} ${what}. Its last output:\n${this.output.slice(-3000)}`);
	}
}
