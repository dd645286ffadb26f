import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';
import { PACKAGE_NAME, REPOSITORY_URL } from '../../nodes/package';

const ROOT = resolve(__dirname, '../..');

interface PackageJson extends Record<string, unknown> {
	name: string;
	homepage: string;
	n8n: { nodes: string[] };
	scripts: Record<string, string>;
}

interface Lockfile {
	packages: Record<string, { resolved?: string }>;
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

	it('has the name and the address that its nodes and its credential have', () => {
		const codexFiles = packageJson.n8n.nodes.map((path) =>
			read(path.replace(/^dist\//, '').replace(/\.js$/, '.json')),
		);
		const texts = [...codexFiles, new BrowserAgentApi().documentationUrl];
		const addresses = texts.flatMap((text) => text.match(/https:\/\/github\.com[^#"]*/g) ?? []);

		expect(packageJson.name).toBe(PACKAGE_NAME);
		expect(packageJson.homepage).toBe(`${REPOSITORY_URL}#readme`);
		expect(new Set(addresses)).toEqual(new Set([REPOSITORY_URL]));
		expect(codexFiles.map((text) => (JSON.parse(text) as { node: string }).node)).toEqual([
			`${PACKAGE_NAME}.browserAgent`,
			`${PACKAGE_NAME}.browserAgentTrigger`,
		]);
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
});
