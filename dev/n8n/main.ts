import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { runCommandLine, say } from '../commandLine';
import { type Sandbox, startSandbox } from '../sandbox/startSandbox';
import { stopSignal } from '../sandbox/stopSignal';
import { examplesFor, sandboxCredential } from './examples';
import { installN8n } from './installN8n';
import { stopAllProcesses } from './ManagedProcess';
import { N8nInstance } from './N8nInstance';
import { createWorkFolder, packPackage } from './packPackage';
import { findRunPorts } from './runPorts';
import { createSecrets, loadSecrets } from './secrets';

/** `npm run n8n`: runs the package in a real n8n, with the sandbox, until Ctrl+C. */
async function main(): Promise<void> {
	const stop = stopSignal();
	const workFolder = createWorkFolder();
	let sandbox: Sandbox | undefined;
	stop.addEventListener('abort', () => {
		say('Stopping');
		void stopAllProcesses();
	});
	try {
		const [port = 0, brokerPort = 0, sandboxPort, filesPort] = await findRunPorts(4);
		// Before all that takes time, so that a second run finds its port in use.
		sandbox = await startSandbox({ port: sandboxPort, filesPort });
		const installed = await installN8n(say);
		stop.throwIfAborted();
		say('Packing the package');
		const archive = await packPackage(workFolder);
		stop.throwIfAborted();

		// The user has chosen a folder that outlives this run.
		const lastingFolder = process.env.N8N_USER_FOLDER && path.resolve(process.env.N8N_USER_FOLDER);
		const userFolder = lastingFolder || path.join(workFolder, 'user');
		const filesFolder = path.join(userFolder, 'files');
		mkdirSync(filesFolder, { recursive: true });
		const logFile = path.join(userFolder, 'n8n.log');
		const n8n = new N8nInstance({
			installed,
			userFolder,
			secrets: lastingFolder ? loadSecrets(lastingFolder) : createSecrets(),
			ports: [port, brokerPort],
			env: {
				N8N_RESTRICT_FILE_ACCESS_TO: filesFolder,
				N8N_LOG_OUTPUT: 'console,file',
				N8N_LOG_FILE_LOCATION: logFile,
			},
		});
		await n8n.addPackage(archive);
		say(`Importing the credential and the examples into n8n ${installed.version}`);
		const workflows = examplesFor(n8n.url);
		await n8n.importMissing([sandboxCredential(sandbox.url)], workflows);
		stop.throwIfAborted();

		say('Starting n8n');
		await n8n.start();
		say(describe(n8n, sandbox, { filesFolder, logFile, lastingFolder }));
		await n8n.ended;
		if (!stop.aborted) throw new Error(`n8n has ended unexpectedly.\n${n8n.log.slice(-3000)}`);
	} catch (error) {
		// What is stopped on request fails, which is not an error.
		if (!stop.aborted) throw error;
	} finally {
		await stopAllProcesses();
		await sandbox?.close();
		rmSync(workFolder, { recursive: true, force: true });
	}
}

function describe(
	n8n: N8nInstance,
	sandbox: Sandbox,
	paths: { filesFolder: string; logFile: string; lastingFolder?: string },
): string {
	return [
		'',
		'n8n is running with the package, a credential and the example workflows.',
		'',
		`Editor       ${n8n.url}`,
		`Quick start  ${n8n.url}/workflow/quick-start`,
		`E-mail       ${n8n.owner.email}`,
		`Password     ${n8n.owner.password}`,
		`Sandbox      ${sandbox.url} (the credential points to it)`,
		`Admin API    ${sandbox.url}/_sandbox (jobs, requests, counters)`,
		`Saved files  ${paths.filesFolder}`,
		`n8n's log    ${paths.logFile}`,
		`n8n's data   ${paths.lastingFolder || 'is deleted at the end, unless N8N_USER_FOLDER names a folder'}`,
		'',
		'Press Ctrl+C to stop both.',
	].join('\n');
}

runCommandLine(main);
