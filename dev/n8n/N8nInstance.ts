import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { n8nEnvironment, type Owner } from './environment';
import type { CredentialFile, WorkflowFile } from './examples';
import type { InstalledN8n } from './installN8n';
import { unpackPackage } from './packPackage';
import { ManagedProcess } from './ManagedProcess';
import { LOOPBACK } from './ports';
import { runCommand } from './runCommand';
import { createSecrets, type Secrets } from './secrets';

interface N8nInstanceOptions {
	installed: InstalledN8n;
	userFolder: string;
	/** Default: new random ones. */
	secrets?: Secrets;
	/** The ports of the editor and of the task broker. */
	ports: [number, number];
	/** Added to the environment that every instance has. */
	env?: NodeJS.ProcessEnv;
	/** Whether its database is empty. Default: whether the user folder has no SQLite database. */
	isNew?: boolean;
}

const READY_TIMEOUT_MS = 180_000;

/** An n8n with its own user folder, which can be filled, started, stopped and started again. */
export class N8nInstance {
	readonly url: string;
	readonly owner: Owner;
	readonly installed: InstalledN8n;
	readonly env: NodeJS.ProcessEnv;
	private main?: ManagedProcess;
	private previousOutput = '';

	constructor(private readonly options: N8nInstanceOptions) {
		const [port, brokerPort] = options.ports;
		const { password, encryptionKey } = options.secrets ?? createSecrets();
		this.url = `http://${LOOPBACK}:${port}`;
		this.owner = { email: 'owner@example.com', password };
		this.installed = options.installed;
		this.env = {
			...n8nEnvironment(options.installed, options.userFolder, this.owner),
			N8N_ENCRYPTION_KEY: encryptionKey,
			N8N_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			...options.env,
		};
	}

	/** Unpacks the package into the user folder, as if a user had installed it. */
	async addPackage(archive: string): Promise<void> {
		await unpackPackage(this.options.userFolder, archive);
	}

	/** Imports what the user folder lacks. What it has may have been edited, and stays as it is. */
	async importMissing(credentials: CredentialFile[], workflows: WorkflowFile[]): Promise<void> {
		mkdirSync(this.options.userFolder, { recursive: true, mode: 0o700 });
		await this.importNew('credentials', credentials);
		const inactive = workflows.map((workflow) => ({ active: false, ...workflow }));
		await this.importNew('workflow', inactive);
	}

	private async importNew(kind: 'credentials' | 'workflow', all: Array<{ id: string }>) {
		const folder = mkdtempSync(path.join(this.options.userFolder, 'import-'));
		const file = path.join(folder, `${kind}.json`);
		try {
			const known = await this.exportedIds(kind, file);
			const missing = all.filter(({ id }) => !known.has(id));
			if (missing.length === 0) return;
			writeFileSync(file, JSON.stringify(missing));
			await this.command(`import:${kind}`, `--input=${file}`);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	}

	private async exportedIds(kind: string, file: string): Promise<Set<string>> {
		const database = path.join(this.options.userFolder, '.n8n/database.sqlite');
		if (this.options.isNew ?? !existsSync(database)) return new Set();
		const report = await this.command(`export:${kind}`, '--all', `--output=${file}`).catch(String);
		if (/No (credentials|workflows) found/.test(report)) return new Set();
		const exported = JSON.parse(readFileSync(file, 'utf8')) as Array<{ id: string }>;
		return new Set(exported.map(({ id }) => id));
	}

	/** Runs an n8n CLI command and returns its output. n8n may be running at the same time. */
	async command(...args: string[]): Promise<string> {
		const { node, program } = this.installed;
		return await runCommand(node.program, [program, ...args], {
			// The running n8n already uses the broker's port.
			env: { ...this.env, N8N_RUNNERS_ENABLED: 'false' },
			purpose: `n8n ${args[0]}`,
			timeoutMs: READY_TIMEOUT_MS,
		});
	}

	async start(): Promise<void> {
		if (this.main) this.previousOutput += this.main.output;
		this.main = await this.startProcess('n8n', ['start']);
		await this.main.waitUntilReady(async () => {
			const { ok } = await fetch(`${this.url}/healthz/readiness`);
			return ok;
		}, READY_TIMEOUT_MS);
	}

	/** Starts another process of the same n8n, such as a worker. */
	async startProcess(
		name: string,
		args: string[],
		env: NodeJS.ProcessEnv = {},
	): Promise<ManagedProcess> {
		const { node, program } = this.installed;
		return await ManagedProcess.start(node.program, [program, ...args], {
			name,
			env: { ...this.env, ...env },
		});
	}

	/** The ID of n8n's main process. */
	get pid(): number {
		return this.main?.pid ?? 0;
	}

	async stop(): Promise<void> {
		await this.main?.stop();
	}

	async kill(): Promise<void> {
		await this.main?.kill();
	}

	get ended(): Promise<void> {
		return this.main?.ended ?? Promise.resolve();
	}

	/** Everything that the main process has printed, over all its starts. */
	get log(): string {
		return this.previousOutput + (this.main?.output ?? '');
	}
}
