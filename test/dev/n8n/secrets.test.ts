import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createSecrets, loadSecrets } from '../../../dev/n8n/secrets';

let parent: string;
let folder: string;

beforeEach(() => {
	parent = mkdtempSync(path.join(tmpdir(), 'secrets-'));
	folder = path.join(parent, 'user');
});

afterEach(() => {
	rmSync(parent, { recursive: true });
});

function permissions(file: string): number {
	return statSync(file).mode & 0o777;
}

it('createSecrets returns a new password and encryption key each time', () => {
	const [first, second] = [createSecrets(), createSecrets()];

	expect(first.password).not.toBe(second.password);
	expect(first.encryptionKey).not.toBe(second.encryptionKey);
});

it("createSecrets returns a password that meets n8n's rules", () => {
	const { password } = createSecrets();

	expect(password).toMatch(/[A-Z]/);
	expect(password).toMatch(/[0-9]/);
	expect(password.length).toBeGreaterThanOrEqual(8);
	expect(password.length).toBeLessThanOrEqual(64);
});

it('loadSecrets creates a folder and a file that only the owner can read', () => {
	loadSecrets(folder);

	expect(permissions(folder)).toBe(0o700);
	expect(permissions(path.join(folder, 'secrets.json'))).toBe(0o600);
});

it('loadSecrets returns the same secrets for the same folder', () => {
	const first = loadSecrets(folder);

	expect(loadSecrets(folder)).toEqual(first);
});

it('loadSecrets throws when its file is incomplete, and leaves the file unchanged', () => {
	loadSecrets(folder);
	const file = path.join(folder, 'secrets.json');
	writeFileSync(file, '{"password":"N8n-abcdefgh"}');

	expect(() => loadSecrets(folder)).toThrow("must have 'password' and 'encryptionKey'");
	expect(readFileSync(file, 'utf8')).toBe('{"password":"N8n-abcdefgh"}');
});
