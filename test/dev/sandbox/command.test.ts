import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { AdminClient } from '../../../dev/sandbox/AdminClient';
import { forkSandbox } from '../../../dev/sandbox/forkSandbox';
import { readOptions } from '../../../dev/sandbox/readOptions';
import { startSandbox } from '../../../dev/sandbox/startSandbox';
import { ENTERPRISE, PRO, createClient, http, setUpSandbox, waitFor } from './setUpSandbox';

const ROOT = join(__dirname, '../../..');

/** Runs the command of `npm run sandbox`; rejects unless it exits with code 0. */
function runCommand(variables: Record<string, string>) {
	const env = { ...process.env, SANDBOX_PORT: '0', SANDBOX_FILES_PORT: '0', ...variables };
	const tsx = join(ROOT, 'node_modules/.bin/tsx');
	return promisify(execFile)(tsx, ['dev/sandbox/main.ts'], { cwd: ROOT, env, timeout: 50_000 });
}

describe('npm run sandbox', () => {
	const other = setUpSandbox();

	it('prints URLs and keys, and exits cleanly on SIGTERM during a response', async () => {
		const run = runCommand({});
		const [output] = await once(run.child.stdout ?? run.child, 'data');
		const [, url = ''] = /^Base URL +(\S+)$/m.exec(output) ?? [];
		const admin = new AdminClient(url);
		await admin.fault({ endpoint: 'getHealth', kind: 'stall' });
		const health = http.get(`${url}/v1/health`).catch(() => 'aborted');
		await waitFor(async () => (await admin.counters()).faults === 1);

		run.child.kill('SIGTERM');
		await run;

		expect(await health).toBe('aborted');
		for (const text of [`${url}/_sandbox`, PRO, 'Ctrl+C']) expect(output).toContain(text);
	});

	it('exits with a one-line error if it cannot start', async () => {
		const { port } = new URL(other.url);

		const error = await runCommand({ SANDBOX_FILES_PORT: port }).catch((reason) => reason);

		expect(error.code).toBe(1);
		expect(error.stderr.trim().split('\n')).toEqual([
			expect.stringMatching(`^Port ${port} is already in use\\.`),
		]);
	});

	it.each([
		['SANDBOX_TIME_SCALE', "SANDBOX_TIME_SCALE must be a number, not 'x'"],
		['SANDBOX_LIMITER', "SANDBOX_LIMITER must be sliding or fixed, not 'x'"],
	])('does not accept any value of %s', (name, message) => {
		expect(() => readOptions({ [name]: 'x' })).toThrow(new Error(message));
	});
});

describe('forkSandbox', () => {
	it('applies the environment variables, and close() stops the process', async () => {
		const sandbox = await forkSandbox({
			SANDBOX_TIME_SCALE: '100',
			SANDBOX_LIMITS: 'off',
			SANDBOX_JOB_SECONDS: '2',
			SANDBOX_VALIDATE_REQUESTS: 'off',
		});
		const client = createClient(sandbox.url, ENTERPRISE);
		const invalid = { directive: 'Look around', browser_config: { width: 1 } };
		const { job_id: jobId } = (await client.start(invalid)).data;
		await waitFor(async () => (await client.status(jobId)).data.status === 'completed');

		const { startedAt, endedAt } = await sandbox.admin.job(jobId);
		const polls = await Promise.all(Array.from({ length: 70 }, () => client.status(jobId)));
		await sandbox.close();

		expect((endedAt ?? 0) - startedAt).toBeCloseTo(2_000, 0);
		expect(polls.every(({ status }) => status === 200)).toBe(true);
		await expect(client.health()).rejects.toThrow('ECONNREFUSED');
	});
});

describe('startSandbox', () => {
	it('frees its ports on close(), also during a response', async () => {
		const sandbox = await startSandbox();
		await sandbox.admin.fault({ endpoint: 'getHealth', kind: 'delay', delayMs: 600_000 });
		const health = http.get(`${sandbox.url}/v1/health`).catch(() => 'aborted');
		await waitFor(async () => (await sandbox.admin.counters()).faults === 1);

		await sandbox.close();
		const [port, filesPort] = [sandbox.url, sandbox.filesUrl].map((url) => +new URL(url).port);
		const again = await startSandbox({ port, filesPort });
		await again.close();

		expect(await health).toBe('aborted');
	});
});
