import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

interface PackageJson extends Record<string, unknown> {
	version: string;
	scripts: Record<string, string>;
	devDependencies: Record<string, string>;
}

interface Lockfile {
	version: string;
	packages: Record<string, { resolved?: string; devDependencies?: Record<string, string> }>;
}

const packageJson = JSON.parse(read('package.json')) as PackageJson;
const lockfile = JSON.parse(read('package-lock.json')) as Lockfile;

function read(path: string): string {
	return readFileSync(join(ROOT, path), 'utf8');
}

describe('package.json', () => {
	it.each([
		['no package to install beside n8n', 'dependencies', undefined],
		['no other version of what n8n brings', 'overrides', undefined],
		['n8n as it is on the host', 'peerDependencies', { 'n8n-workflow': '*' }],
	])('has %s', (_label, key, value) => {
		expect(packageJson[key]).toEqual(value);
	});

	it('has no scripts that npm runs on its own', () => {
		const onItsOwn =
			/^(pre|post)|^(install|prepare|prepack|prepublish|dependencies|publish|version)$/;

		expect(Object.keys(packageJson.scripts).filter((name) => onItsOwn.test(name))).toEqual([]);
	});
});

describe('The package', () => {
	it('has a lockfile that names no registry', () => {
		const addresses = Object.values(lockfile.packages).flatMap(({ resolved }) => resolved ?? []);

		expect(addresses).toEqual([]);
	});

	it('has a lockfile that matches package.json', () => {
		expect(lockfile.version).toBe(packageJson.version);
		expect(lockfile.packages['']?.devDependencies).toEqual(packageJson.devDependencies);
	});
});
