import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Server, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import axios from 'axios';

import { AdminClient } from '../../../dev/sandbox/AdminClient';
import { forkSandbox } from '../../../dev/sandbox/forkSandbox';
import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import { Client, ENTERPRISE, FORBIDDEN, FREE, PRO, startJob } from './client';

const root = join(__dirname, '../../..');

const children: ChildProcess[] = [];

/** The command as `npm run sandbox` runs it. */
function run(env: Record<string, string>): ChildProcess {
	const child = spawn(join(root, 'node_modules/.bin/tsx'), ['dev/sandbox/main.ts'], {
		cwd: root,
		env: { ...process.env, SANDBOX_PORT: '0', SANDBOX_FILES_PORT: '0', ...env },
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
	});
	children.push(child);
	return child;
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
	let text = '';
	stream?.on('data', (chunk) => (text += String(chunk)));
	return () => text;
}

describe('the command', () => {
	afterEach(() => {
		for (const child of children.splice(0)) child.kill('SIGTERM');
	});

	it('tells its parent where it is, does what it is told, and ends when the parent leaves', async () => {
		const sandbox = await forkSandbox({
			SANDBOX_TIME_SCALE: '100',
			SANDBOX_LIMITS: 'off',
			SANDBOX_JOB_SECONDS: '2',
		});
		const client = new Client(sandbox, ENTERPRISE);

		const jobId = await startJob(sandbox, client, { output: 'From another process' });
		while (!(await sandbox.admin.job(jobId)).isFinished);
		const { data } = await client.status(jobId);
		const polls = await Promise.all(Array.from({ length: 70 }, () => client.status(jobId)));
		await sandbox.close();

		expect(data).toMatchObject({ status: 'completed', output: 'From another process' });
		expect(polls.every(({ status }) => status === 200)).toBe(true);
		await expect(client.health()).rejects.toThrow('ECONNREFUSED');
	});

	it('prints how to use it, and ends cleanly when stopped, even with an answer under way', async () => {
		const child = run({});
		const printed = collect(child.stdout);
		const [{ url, filesUrl }] = (await once(child, 'message')) as [Sandbox];
		const admin = new AdminClient(url);
		await admin.fault({ endpoint: 'getHealth', kind: 'stall' });
		const stalled = axios.get(`${url}/v1/health`, { proxy: false }).catch(() => 'broken off');
		while ((await admin.counters()).faults === 0);

		child.kill('SIGTERM');
		const [code] = (await once(child, 'close')) as [number];

		expect(code).toBe(0);
		expect(await stalled).toBe('broken off');
		for (const text of [url, filesUrl, '/_sandbox', PRO, FREE, ENTERPRISE, FORBIDDEN, 'Ctrl+C']) {
			expect(printed()).toContain(text);
		}
	});

	it('says in one line what keeps it from starting', async () => {
		const other: Server = createServer().listen(0, '127.0.0.1');
		await once(other, 'listening');
		const { port } = other.address() as AddressInfo;

		const complaints = await Promise.all([
			complaintOf({ SANDBOX_FILES_PORT: String(port) }),
			complaintOf({ SANDBOX_TIME_SCALE: 'fast' }),
		]);
		other.close();

		expect(complaints).toEqual([
			[1, expect.stringMatching(new RegExp(`^Port ${port} is already in use\\..*$`))],
			[1, "SANDBOX_TIME_SCALE must be a number, not 'fast'"],
		]);
	});

	async function complaintOf(env: Record<string, string>): Promise<[number, string]> {
		const child = run(env);
		const printed = collect(child.stderr);
		const [code] = (await once(child, 'close')) as [number];
		return [code, printed().trim()];
	}
});

describe('the addresses', () => {
	it('are free again at once after closing, whatever is still being answered', async () => {
		const sandbox = await startSandbox({ limits: 'off' });
		const client = new Client(sandbox, PRO);
		const files = [{ filename: 'huge.bin', sizeBytes: 10 ** 12 }];
		const jobId = await startJob(sandbox, client, { files, durationSeconds: 0 });
		const { data } = await client.files(jobId);
		await sandbox.admin.fault({ endpoint: 'getHealth', kind: 'delay', delayMs: 600_000 });
		const delayed = client.health().catch(() => 'broken off');
		const download = await axios.get(data.files[0].download_url, {
			responseType: 'stream',
			proxy: false,
		});
		const broken = once(download.data.resume(), 'error').then(() => 'broken off');

		const begin = performance.now();
		await sandbox.close();
		const again = await startSandbox({ port: Number(new URL(sandbox.url).port) });
		await again.close();

		expect(performance.now() - begin).toBeLessThan(2000);
		expect(await delayed).toBe('broken off');
		expect(await broken).toBe('broken off');
	});
});
