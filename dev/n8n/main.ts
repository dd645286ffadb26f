import { rmSync } from 'node:fs';
import path from 'node:path';

import { type Sandbox, startSandbox } from '../sandbox/startSandbox';
import { exampleWorkflows, sandboxCredential } from './examples';
import { installN8n } from './installN8n';
import { N8nInstance } from './N8nInstance';
import { OWNER } from './owner';
import { createWorkFolder, packPackage } from './packPackage';
import { isFree } from './ports';

const DEFAULT_PORT = 5690;

/** `npm run n8n`: the package in a real n8n beside the sandbox, until Ctrl+C. */
async function main(): Promise<void> {
	const port = readPort('N8N_PORT', DEFAULT_PORT);
	const ports: [number, number] = [port, readPort('N8N_RUNNERS_BROKER_PORT', port + 1)];
	const sandboxPorts = { port: readPort('SANDBOX_PORT', port + 2), filesPort: port + 3 };
	for (const taken of [...ports, sandboxPorts.port, sandboxPorts.filesPort]) {
		if (!(await isFree(taken))) throw new Error(`Port ${taken} is taken. Set N8N_PORT to another.`);
	}

	const asked = new AbortController();
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => asked.abort());
	}
	const cleanUp: Array<() => Promise<void> | void> = [];
	try {
		const workFolder = createWorkFolder();
		cleanUp.push(() => rmSync(workFolder, { recursive: true, force: true }));
		const kept = process.env.N8N_USER_FOLDER;
		const userFolder = kept ? path.resolve(kept) : path.join(workFolder, 'user');

		const installed = await installN8n(say);
		say('Packing the package');
		const archive = await packPackage(workFolder);
		if (asked.signal.aborted) return;

		const sandbox = await startSandbox(sandboxPorts);
		cleanUp.push(async () => await sandbox.close());
		const n8n = new N8nInstance({ installed, userFolder, ports });
		const workflows = exampleWorkflows();
		await n8n.addPackage(archive);
		say(`Bringing the credential and the examples into n8n ${installed.version}`);
		await n8n.importAll([sandboxCredential(sandbox.url)], workflows);
		if (asked.signal.aborted) return;

		say('Starting n8n');
		cleanUp.push(async () => await n8n.stop());
		await n8n.start();
		say(describe(n8n, sandbox, kept ? userFolder : undefined));

		const abort = new Promise<void>((resolve) => {
			if (asked.signal.aborted) resolve();
			asked.signal.addEventListener('abort', () => resolve());
		});
		await Promise.race([abort, n8n.ended]);
		if (!asked.signal.aborted) throw new Error(`n8n has ended by itself.\n${n8n.log.slice(-3000)}`);
	} catch (error) {
		// A Ctrl+C also ends the commands that are under way, which is not worth a message.
		if (!asked.signal.aborted) throw error;
	} finally {
		say('Ending');
		for (const end of cleanUp.reverse()) await end();
	}
}

function describe(n8n: N8nInstance, sandbox: Sandbox, keptFolder: string | undefined): string {
	return [
		'',
		'n8n is running, with the package, the credential and the example workflows in it.',
		'',
		`Editor       ${n8n.url}`,
		`E-mail       ${OWNER.email}`,
		`Password     ${OWNER.password}`,
		`Sandbox      ${sandbox.url} (the credential points to it)`,
		`Admin API    ${sandbox.url}/_sandbox (jobs, requests, counters)`,
		`n8n's data   ${keptFolder ?? 'is thrown away at the end; set N8N_USER_FOLDER to keep it'}`,
		'',
		'Press Ctrl+C to end both.',
	].join('\n');
}

function readPort(name: string, byDefault: number): number {
	const port = Number(process.env[name] ?? byDefault);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) {
		throw new Error(`${name} must be a port, not '${process.env[name]}'`);
	}
	return port;
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

main().then(
	() => {
		process.exitCode = 0;
	},
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
		process.exitCode = 1;
	},
);
