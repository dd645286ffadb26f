import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const ICONS = ['icons/browserAgent.svg', 'icons/browserAgent.dark.svg'];

interface PackageJson extends Record<string, unknown> {
	version: string;
	main: string;
	keywords: string[];
	scripts: Record<string, string>;
	devDependencies: Record<string, string>;
	n8n: Record<string, unknown> & { nodes: string[]; credentials: string[] };
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
		['the name that saved workflows hold', 'name', 'n8n-nodes-browser-agent'],
		['the licence that n8n asks for', 'license', 'MIT'],
		['no package to install beside n8n', 'dependencies', undefined],
		['no other version of what n8n brings', 'overrides', undefined],
		['n8n as it is on the host', 'peerDependencies', { 'n8n-workflow': '*' }],
		['the built files only', 'files', ['dist']],
		['an empty main module', 'main', 'index.js'],
		['the oldest Node.js that CI runs', 'engines', { node: '>=20' }],
		[
			'an author with a name and an address',
			'author',
			{ name: expect.stringMatching(/\S/), email: expect.stringMatching(/^\S+@\S+\.\S+$/) },
		],
		[
			'a repository on GitHub',
			'repository',
			{
				type: 'git',
				url: expect.stringMatching(
					/^git\+https:\/\/github\.com\/[\w-]+\/n8n-nodes-browser-agent\.git$/,
				),
			},
		],
		['a home page', 'homepage', expect.stringMatching(/^https:\/\/github\.com\//)],
		['a description', 'description', expect.stringMatching(/\S/)],
		['a version', 'version', expect.stringMatching(/^\d+\.\d+\.\d+$/)],
	])('has %s', (_label, key, value) => {
		expect(packageJson[key]).toEqual(value);
	});

	it('has the keyword by which n8n finds community packages', () => {
		expect(packageJson.keywords).toContain('n8n-community-node-package');
	});

	it('has no scripts that npm runs on its own', () => {
		const onItsOwn =
			/^(pre|post)|^(install|prepare|prepack|prepublish|dependencies|publish|version)$/;

		expect(Object.keys(packageJson.scripts).filter((name) => onItsOwn.test(name))).toEqual([]);
	});

	it('pins the version of every tool', () => {
		const versions = Object.values(packageJson.devDependencies);

		expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
	});

	it('lists nodes and credentials whose source exists', () => {
		const { nodes, credentials, ...rest } = packageJson.n8n;
		const sources = [...nodes, ...credentials].map((path) =>
			path.replace(/^dist\//, '').replace(/\.js$/, '.ts'),
		);

		expect(rest).toEqual({ n8nNodesApiVersion: 1 });
		expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
	});

	it('lists nodes with a codex file, for the search in n8n', () => {
		const found = packageJson.n8n.nodes.map((path) => {
			const codex = path.replace(/^dist\//, '').replace(/\.js$/, '.json');
			return (JSON.parse(read(codex)) as { node: string }).node;
		});

		expect(found).toEqual(
			packageJson.n8n.nodes.map((path) => {
				const className = basename(path, '.node.js');
				return `n8n-nodes-browser-agent.${className.charAt(0).toLowerCase()}${className.slice(1)}`;
			}),
		);
	});

	it.each(['puppeteer', 'playwright', 'login', 'extract', 'web agent', 'computer use', 'scrape'])(
		'lists nodes that are found by the word "%s"',
		(word) => {
			const aliases = packageJson.n8n.nodes.map((path) => {
				const codex = path.replace(/^dist\//, '').replace(/\.js$/, '.json');
				return (JSON.parse(read(codex)) as { alias: string[] }).alias;
			});

			expect(aliases).toEqual(aliases.map(() => expect.arrayContaining([word]) as unknown));
		},
	);
});

describe('The package', () => {
	it('has an .npmrc that skips scripts and keeps registries out of the lockfile', () => {
		expect(read('.npmrc').trim().split('\n')).toEqual([
			'ignore-scripts=true',
			'omit-lockfile-registry-resolved=true',
		]);
	});

	it('has a lockfile that matches package.json and names no registry', () => {
		const addresses = Object.values(lockfile.packages).flatMap(({ resolved }) => resolved ?? []);

		expect(addresses).toEqual([]);
		expect(lockfile.version).toBe(packageJson.version);
		expect(lockfile.packages['']?.devDependencies).toEqual(packageJson.devDependencies);
	});

	it('has an index.js of comments only', () => {
		expect(read('index.js')).toMatch(/^(\/\/.*\n)+$/);
	});

	it.each(ICONS)('has a square icon without active content in %s', (path) => {
		const svg = read(path);

		expect(svg).toMatch(/^<svg [^>]*viewBox="0 0 60 60"/);
		expect(svg).toMatch(/^<svg [^>]*width="60" height="60"/);
		expect(svg).not.toMatch(/<script|<image|href=|<style|\son\w+=/);
	});

	it('has different icons for light and dark themes', () => {
		const [light, dark] = ICONS.map(read);

		expect(light).not.toBe(dark);
	});

	it('has a changelog whose first entry is for this version or the next', () => {
		const headings = read('CHANGELOG.md').match(/^## \[[^\]]+\]/gm);

		expect(['## [Unreleased]', `## [${packageJson.version}]`]).toContain(headings?.[0]);
	});
});
