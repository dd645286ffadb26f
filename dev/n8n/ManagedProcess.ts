import { spawn, type ChildProcess } from 'node:child_process';

export interface ManagedProcessOptions {
	/** For messages, e.g. "n8n". */
	name: string;
	env?: NodeJS.ProcessEnv;
	cwd?: string;
	uid?: number;
	gid?: number;
	/** Called with what it prints, as it comes. */
	onOutput?: (text: string) => void;
}

const STOP_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 200;

/** A program that runs until it is stopped. */
export class ManagedProcess {
	readonly pid: number;
	readonly ended: Promise<void>;
	/** All it has printed so far. */
	output = '';
	/** How it ended; unset while it runs. */
	end?: { code: number | null; signal: NodeJS.Signals | null };

	private constructor(
		private readonly child: ChildProcess,
		readonly name: string,
		onOutput?: (text: string) => void,
	) {
		this.pid = child.pid ?? 0;
		this.ended = new Promise((resolve) => {
			child.once('exit', (code, signal) => {
				this.end = { code, signal };
				resolve();
			});
		});
		for (const stream of [child.stdout, child.stderr]) {
			stream?.on('data', (chunk: Buffer) => {
				this.output += chunk.toString();
				onOutput?.(chunk.toString());
			});
		}
	}

	static async start(
		command: string,
		args: string[],
		options: ManagedProcessOptions,
	): Promise<ManagedProcess> {
		const { name, onOutput, ...spawnOptions } = options;
		const child = spawn(command, args, {
			...spawnOptions,
			stdio: ['ignore', 'pipe', 'pipe'],
			// A group of its own: a Ctrl+C in the terminal reaches us alone, and we end it in order.
			detached: true,
		});
		await new Promise<void>((resolve, reject) => {
			child.once('spawn', resolve);
			child.once('error', reject);
		});
		return new ManagedProcess(child, name, onOutput);
	}

	/** Waits until `isReady` says so. Throws when the program ends before that, or time runs out. */
	async waitUntilReady(isReady: () => Promise<boolean>, withinMs: number): Promise<void> {
		const deadline = Date.now() + withinMs;
		for (;;) {
			if (this.end) throw this.problem('ended at its start');
			if (await isReady().catch(() => false)) return;
			if (Date.now() > deadline) throw this.problem(`was not ready within ${withinMs / 1000} s`);
			await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
		}
	}

	/** Asks it to end; if it does not, it is ended with all it has started. */
	async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
		if (this.end) return;
		this.child.kill(signal);
		const timer = setTimeout(() => this.killGroup(), STOP_WITHIN_MS);
		await this.ended;
		clearTimeout(timer);
	}

	/** Ends it as a crash would: at once, and without a word to it. */
	async kill(): Promise<void> {
		if (this.end) return;
		this.killGroup();
		await this.ended;
	}

	private killGroup(): void {
		try {
			process.kill(-this.pid, 'SIGKILL');
		} catch {
			this.child.kill('SIGKILL');
		}
	}

	private problem(what: string): Error {
		return new Error(`${this.name} ${what}. The last it printed:\n${this.output.slice(-3000)}`);
	}
}
