import fs, { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { requireServers } from '../../../dev/n8n/queue/findExecutable';

describe('Servers of queue mode', () => {
	const original = process.env.PATH;
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(tmpdir(), 'servers-'));
		process.env.PATH = folder;
		// As on a machine without Debian's PostgreSQL.
		const { existsSync } = fs;
		jest
			.spyOn(fs, 'existsSync')
			.mockImplementation((file) => file !== '/usr/lib/postgresql' && existsSync(file));
	});
	afterEach(() => {
		jest.restoreAllMocks();
		process.env.PATH = original;
		rmSync(folder, { recursive: true });
	});

	it.each([
		['Redis and PostgreSQL', []],
		['Redis', ['postgres']],
		['PostgreSQL', ['redis-server']],
	])('are named if they are missing, with how to install them: %s', (missing, installed) => {
		for (const name of installed) writeFileSync(path.join(folder, name), '');

		expect(requireServers).toThrow(`${missing} not found: queue mode needs Redis and PostgreSQL.`);
		expect(requireServers).toThrow('apt-get install redis-server postgresql');
	});

	it('are enough when they are in the PATH', () => {
		for (const name of ['postgres', 'redis-server']) writeFileSync(path.join(folder, name), '');

		expect(requireServers).not.toThrow();
	});
});
