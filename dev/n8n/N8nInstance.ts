import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { CredentialFile, WorkflowFile } from './examples';
import { n8nEnvironment } from './environment';
import type { InstalledN8n } from './installN8n';
import { unpackPackage } from './packPackage';
import { LOOPBACK } from './ports';
import { ManagedProcess } from './ManagedProcess';
import { runCommand } from './runCommand';

export interface N8nInstanceOptions {
	installed: InstalledN8n;
	userFolder: string;
	/** Of the editor, and of the broker that hands code to its runners. */
	ports: [number, number];
	/** On top of what it always has. */
	env?: NodeJS.ProcessEnv;
	onOutput?: (text: string) => void;
}

const READY_WITHIN_MS = 180_000;

/** An n8n with its own data folder: filled with its command line, started, stopped, started again. */
export class N8nInstance {
	readonly url: string;
	readonly env: NodeJS.ProcessEnv;
	private main?: ManagedProcess;
	private printedBefore = '';

	constructor(private readonly options: N8nInstanceOptions) {
		const [port, brokerPort] = options.ports;
		this.url = `http://${LOOPBACK}:${port}`;
		this.env = {
			...n8nEnvironment(options.installed, options.userFolder),
			N8N_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			...options.env,
		};
	}

	/** Unpacks the package into its data folder, as if a user had installed it. */
	async addPackage(archive: string): Promise<void> {
		await unpackPackage(this.options.userFolder, archive);
	}

	async importAll(credentials: CredentialFile[], workflows: WorkflowFile[]): Promise<void> {
		mkdirSync(this.options.userFolder, { recursive: true });
		const folder = mkdtempSync(path.join(this.options.userFolder, 'import-'));
		const file = (name: string, content: unknown) => {
			const target = path.join(folder, name);
			writeFileSync(target, JSON.stringify(content));
			return target;
		};
		try {
			await this.command('import:credentials', `--input=${file('credentials.json', credentials)}`);
			const list = workflows.map((workflow) => ({ active: false, ...workflow }));
			await this.command('import:workflow', `--input=${file('workflows.json', list)}`);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	}

	async publish(workflowId: string): Promise<void> {
		await this.command('publish:workflow', `--id=${workflowId}`);
	}

	/** Runs a command of n8n's command line, beside a started n8n or without one. */
	async command(...args: string[]): Promise<string> {
		const { node, program } = this.options.installed;
		return await runCommand(node.program, [program, ...args], {
			// The broker's port may be in use by the n8n that runs.
			env: { ...this.env, N8N_RUNNERS_ENABLED: 'false' },
			purpose: `n8n ${args[0]}`,
			timeoutMs: READY_WITHIN_MS,
		});
	}

	async start(): Promise<void> {
		if (this.main) this.printedBefore += this.main.output;
		this.main = await this.startProcess('n8n', ['start']);
		await this.main.waitUntilReady(async () => {
			const { ok } = await fetch(`${this.url}/healthz/readiness`);
			return ok;
		}, READY_WITHIN_MS);
	}

	/** Starts another process of the same n8n, such as a worker. */
	async startProcess(
		name: string,
		args: string[],
		env: NodeJS.ProcessEnv = {},
	): Promise<ManagedProcess> {
		const { node, program } = this.options.installed;
		return await ManagedProcess.start(node.program, [program, ...args], {
			name,
			env: { ...this.env, ...env },
			onOutput: this.options.onOutput,
		});
	}

	async stop(): Promise<void> {
		await this.main?.stop();
	}

	/** Ends it as a crash would. */
	async kill(): Promise<void> {
		await this.main?.kill();
	}

	/** Settles when it has ended, for whatever reason. */
	get ended(): Promise<void> {
		return this.main?.ended ?? Promise.resolve();
	}

	/** What it has printed since it was made. */
	get log(): string {
		return this.printedBefore + (this.main?.output ?? '');
	}
}
