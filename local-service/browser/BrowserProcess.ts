import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

import { within } from '../abort';
import { memoryOfGroup } from './memoryOfGroup';

/**
 * What a browser may tell the service within each span. Playwright puts a message together whatever
 * its size, and a page can make one with a line of script: `console.log` of a long text. One above
 * 512 MB would end the service, since it is more than a string can have, and smaller ones would
 * keep it busy. A page of 2,000 rows is 0.5 MB, a picture 0.2 MB.
 */
const MAX_BYTES = 64 * 2 ** 20;
const SPAN_MS = 10_000;

/** A page fills about 2 GB within it. */
const MEMORY_CHECK_MS = 2000;

const EXIT_LIMIT_MS = 5000;

/** The pipe by which Chromium answers; Playwright asks by the one before. */
const ANSWERS = 4;

/**
 * The process of a Chromium that Playwright launches, which doesn't show it. Create it before the
 * launch. From its start on the process is killed when it says too much, or needs too much memory.
 */
export class BrowserProcess {
	/** A sentence, as soon as it has been killed for what it did. */
	whyKilled: string | undefined;
	private child: ChildProcess | undefined;
	private bytes = 0;
	private spanEnd = 0;

	/**
	 * `profile` is the folder of its profile, which no other process has; `maxMemoryMb` is for the
	 * process and its children together.
	 */
	constructor(
		private readonly profile: string,
		private readonly maxMemoryMb: number,
	) {
		subscribe('child_process', this.onChild);
	}

	/** Ends it by force, unless it has ended. Resolves when it is gone. Never rejects. */
	async kill(): Promise<void> {
		const { child } = this;
		if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
		const exit = once(child, 'exit');
		try {
			// Playwright makes it the leader of a group: of one that a script has started, too.
			process.kill(-child.pid, 'SIGKILL');
		} catch {
			child.kill('SIGKILL');
		}
		await within(EXIT_LIMIT_MS, exit).catch(() => {});
	}

	/** Call it when the launch is over, in any way. */
	forget(): void {
		unsubscribe('child_process', this.onChild);
	}

	private readonly onChild = (message: unknown) => {
		const { process: child } = message as { process: ChildProcess };
		// Of a process that is about to start, nothing is known yet.
		child.once('spawn', () => {
			if (!child.spawnargs.includes(`--user-data-dir=${this.profile}`)) return;
			this.child = child;
			this.forget();
			(child.stdio[ANSWERS] as Readable).on('data', (chunk: Buffer) => this.count(chunk.length));
			const timer = setInterval(() => this.checkMemory(child.pid!), MEMORY_CHECK_MS).unref();
			child.once('exit', () => clearInterval(timer));
		});
	};

	private checkMemory(group: number): void {
		if (memoryOfGroup(group) <= this.maxMemoryMb * 2 ** 20) return;
		this.killFor(`The browser needed more than ${this.maxMemoryMb} MB of memory and was ended`);
	}

	private count(bytes: number): void {
		const now = performance.now();
		if (now > this.spanEnd) {
			this.bytes = 0;
			this.spanEnd = now + SPAN_MS;
		}
		this.bytes += bytes;
		if (this.bytes <= MAX_BYTES) return;
		this.killFor(
			`A page made the browser send more than ${MAX_BYTES / 2 ** 20} MB within ` +
				`${SPAN_MS / 1000} s, and the browser was ended`,
		);
	}

	private killFor(reason: string): void {
		if (this.whyKilled !== undefined) return;
		this.whyKilled = reason;
		void this.kill();
	}
}
