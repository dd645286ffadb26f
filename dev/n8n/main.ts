import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { runCommandLine, say } from '../commandLine';
import { type Sandbox, startSandbox } from '../sandbox/startSandbox';
import { stopSignal } from '../sandbox/stopSignal';
import { examplesFor, SANDBOX_KEY, exampleCredential } from './examples';
import { installN8n } from './installN8n';
import { type ManagedProcess, stopAllProcesses } from './ManagedProcess';
import { N8nInstance } from './N8nInstance';
import { createWorkFolder, packPackage } from './packPackage';
import { requireServers } from './queue/findExecutable';
import { startServers } from './queue/startServers';
import { startWorker } from './queue/startWorker';
import { findRunPorts } from './runPorts';
import { createSecrets, loadSecrets } from './secrets';

const WORKERS = 2;
/** n8n's own default. */
const EXECUTIONS_PER_WORKER = 10;

/** The folders of a run. Without `lasting`, all of them are deleted at the end. */
interface Folders {
	work: string;
	user: string;
	/** The folder that the user has named, which is kept. */
	lasting?: string;
	/** For files that the examples save. */
	files: string;
	/** PostgreSQL's data. */
	database: string;
}

/**
 * `npm run n8n`: runs the package in a real n8n, with the sandbox, until Ctrl+C. `npm run
 * n8n:queue`, with `--queue`: the same in queue mode, with two workers.
 */
async function main(args: string[]): Promise<void> {
	const isQueue = args.includes('--queue');
	const stop = stopSignal();
	stop.addEventListener('abort', () => {
		say('Stopping');
		void stopAllProcesses();
	});
	let folders: Folders | undefined;
	let sandbox: Sandbox | undefined;
	try {
		if (isQueue) requireServers();
		const ports = assignPorts(await findRunPorts(isQueue ? 6 + 2 * WORKERS : 4));
		folders = createFolders();
		// Before anything slow, so that a second run finds its port in use.
		sandbox = await startSandbox({ port: ports.sandbox, filesPort: ports.files });
		const installed = await installN8n(say);
		stop.throwIfAborted();
		say('Packing the package');
		const archive = await packPackage(folders.work);
		stop.throwIfAborted();

		if (isQueue) say('Starting Redis and PostgreSQL');
		const servers = isQueue
			? await startServers({
					redisFolder: path.join(folders.user, 'redis'),
					databaseFolder: folders.database,
					ports: ports.servers,
				})
			: undefined;
		const n8n = new N8nInstance({
			installed,
			userFolder: folders.user,
			secrets: folders.lasting ? loadSecrets(folders.lasting) : createSecrets(),
			ports: ports.n8n,
			isNew: servers?.isNew,
			env: {
				...servers?.env,
				// "Execute workflow" runs on a worker, too, as it will in n8n 3.
				...(isQueue && { OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true' }),
				N8N_RESTRICT_FILE_ACCESS_TO: folders.files,
				N8N_LOG_OUTPUT: 'console,file',
				N8N_LOG_FILE_LOCATION: logFile(folders, 'n8n'),
			},
		});
		await n8n.addPackage(archive);
		say(`Importing the credential and the examples into n8n ${installed.version}`);
		const workflows = examplesFor(n8n.url);
		await n8n.importMissing([exampleCredential(sandbox.url)], workflows);
		stop.throwIfAborted();

		say('Starting n8n');
		await n8n.start();
		const workers = await startWorkers(n8n, archive, folders, ports.workers);
		say(describe(n8n, sandbox, folders, workers));
		await n8n.ended;
		if (!stop.aborted) throw new Error(`n8n exited unexpectedly.\n${n8n.log.slice(-3000)}`);
	} catch (error) {
		// When everything is being stopped on request, a failure is no error.
		if (!stop.aborted) throw error;
	} finally {
		await stopAllProcesses();
		await sandbox?.close();
		if (folders) removeTemporary(folders);
	}
}

async function startWorkers(
	n8n: N8nInstance,
	archive: string,
	folders: Folders,
	ports: Array<[number, number]>,
): Promise<ManagedProcess[]> {
	const workers: ManagedProcess[] = [];
	for (const [index, workerPorts] of ports.entries()) {
		const name = `worker-${index + 1}`;
		say(`Starting ${name}`);
		const worker = await startWorker(n8n, {
			name,
			userFolder: path.join(folders.work, name),
			archive,
			ports: workerPorts,
			concurrency: EXECUTIONS_PER_WORKER,
			env: { N8N_LOG_FILE_LOCATION: logFile(folders, name) },
		});
		workers.push(worker);
	}
	return workers;
}

/** Says what each port is for. Without workers, those of the servers are not used. */
function assignPorts(ports: number[]) {
	const [editor = 0, broker = 0, sandbox, files, redis = 0, postgres = 0, ...others] = ports;
	const workers: Array<[number, number]> = [];
	for (let index = 0; index < others.length; index += 2) {
		workers.push([others[index] ?? 0, others[index + 1] ?? 0]);
	}
	return {
		n8n: [editor, broker] as [number, number],
		sandbox,
		files,
		servers: [redis, postgres] as [number, number],
		workers,
	};
}

function createFolders(): Folders {
	const lasting = process.env.N8N_USER_FOLDER && path.resolve(process.env.N8N_USER_FOLDER);
	const work = createWorkFolder();
	const user = lasting || path.join(work, 'user');
	const files = path.join(user, 'files');
	mkdirSync(files, { recursive: true });
	const database = lasting
		? path.join(lasting, 'postgres')
		: // Not below the work folder: as root, PostgreSQL runs as another user, who may not enter that.
			mkdtempSync(path.join(tmpdir(), 'browser-agent-postgres-'));
	return { work, user, files, database, lasting: lasting || undefined };
}

function removeTemporary({ work, database, lasting }: Folders): void {
	rmSync(work, { recursive: true, force: true });
	if (!lasting) rmSync(database, { recursive: true, force: true });
}

function describe(
	n8n: N8nInstance,
	sandbox: Sandbox,
	folders: Folders,
	workers: ManagedProcess[],
): string {
	const workerLines = workers.map(
		({ name, pid }) => `${name.padEnd(12)} process ${pid}, log ${logFile(folders, name)}`,
	);
	return [
		'',
		'n8n is running with the package, a credential and the example workflows.',
		'',
		`Editor       ${n8n.url}`,
		`Quick start  ${n8n.url}/workflow/quick-start`,
		`E-mail       ${n8n.owner.email}`,
		`Password     ${n8n.owner.password}`,
		`Sandbox      ${sandbox.url}, API key ${SANDBOX_KEY} (the credential has both)`,
		`Its jobs     ${sandbox.url}/_sandbox/jobs`,
		`Admin API    ${sandbox.url}/_sandbox/ (lists its calls)`,
		`Saved files  ${folders.files}`,
		`n8n's log    ${logFile(folders, 'n8n')}`,
		...workerLines,
		`n8n's data   ${folders.lasting ?? 'is deleted at the end, unless N8N_USER_FOLDER names a folder'}`,
		'',
		'Press Ctrl+C to stop everything.',
	].join('\n');
}

function logFile({ user }: Folders, processName: string): string {
	return path.join(user, `${processName}.log`);
}

runCommandLine(main);
