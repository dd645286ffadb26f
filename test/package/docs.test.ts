/** What the documentation links to, names and quotes must exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { INode, INodeProperties } from 'n8n-workflow';

import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';
import { exampleCredential } from '../../dev/n8n/examples';
import { BrowserAgent } from '../../nodes/BrowserAgent/BrowserAgent.node';
import { BrowserAgentTrigger } from '../../nodes/BrowserAgentTrigger/BrowserAgentTrigger.node';
import { TRANSITIONS } from '../../nodes/jobs/jobStates';
import { REPOSITORY_URL } from '../../nodes/package';
import packageJson from '../../package.json';

const ROOT = resolve(__dirname, '../..');
const USER_PAGES = ['README.md', 'examples/README.md', ...pagesIn('docs')];
const PAGES = [
	...USER_PAGES,
	...pagesIn('.'),
	...pagesIn('.github'),
	...pagesIn('dev'),
	'dev/n8n/install/README.md',
].filter((page, index, all) => all.indexOf(page) === index);

const TEST_FILES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.test.ts'))
	.map((file) => join('test', file));

function pagesIn(folder: string): string[] {
	const files = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'));
	return files.map((name) => join(folder, name));
}

function read(path: string): string {
	return readFileSync(join(ROOT, path), 'utf8');
}

function withoutCodeBlocks(page: string): string {
	return read(page).replace(/^ *```[\s\S]*?^ *```/gm, '');
}

/** The text of a page without code, in which nothing is a link or emphasized. */
function proseOf(page: string): string {
	return withoutCodeBlocks(page).replace(/`[^`\n]+`/g, '');
}

function linksIn(page: string): string[] {
	const links = proseOf(page).matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g);
	return [...links].map(([, markdown, html]) => markdown ?? html ?? '');
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsIn(page: string): string[] {
	return [...withoutCodeBlocks(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
		heading
			.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.trim()
			.replace(/\s/g, '-'),
	);
}

function isBroken(page: string, link: string): boolean {
	if (/^[a-z]+:/.test(link)) return false;
	const [path = '', anchor] = link.split('#');
	const target = path === '' ? page : join(dirname(page), path);
	if (!existsSync(join(ROOT, target))) return true;
	return anchor !== undefined && !anchorsIn(target).includes(anchor);
}

/** What the user sees on the screen: names of fields and of their choices. */
function namesOf(properties: INodeProperties[]): string[] {
	return properties.flatMap(({ displayName, options = [] }) => [
		displayName,
		...options.flatMap((option) =>
			'values' in option
				? namesOf(option.values)
				: 'displayName' in option
					? namesOf([option])
					: [option.name],
		),
	]);
}

function sourceOf(folder: string): string {
	const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
	return files
		.filter((file) => file.endsWith('.ts'))
		.map((file) => read(join(folder, file)))
		.join('\n');
}

describe('The documentation', () => {
	it.each(PAGES)('has links to existing files and headings only, in %s', (page) => {
		expect(linksIn(page).filter((link) => isBroken(page, link))).toEqual([]);
	});

	// GitHub's column is some 830 pixels wide. Pictures of one kind have one scale, so that text in
	// them has the same size.
	it.each(PAGES)('shows pictures no wider than the column, in %s', (page) => {
		const pictures = [...proseOf(page).matchAll(/<img src="([^"]+)" width="(\d+)"/g)];
		const widths = pictures.map(([, , width]) => Number(width));

		expect(proseOf(page)).not.toMatch(/!\[[^\]]*\]\((?!https:)/);
		expect(pictures).toHaveLength(proseOf(page).split('<img ').length - 1);
		expect(Math.max(0, ...widths)).toBeLessThanOrEqual(800);
	});

	it('has a first workflow in the README whose parameters exist', () => {
		const [, json = ''] = /```json\n(\{\n {2}"nodes"[\s\S]*?)```/.exec(read('README.md')) ?? [];
		const { nodes } = JSON.parse(json) as { nodes: INode[] };
		const ours = nodes.find(({ type }) => type === `${packageJson.name}.browserAgent`);
		const known = new BrowserAgent().description.properties.map(({ name }) => name);

		expect(Object.keys(ours?.parameters ?? {}).filter((name) => !known.includes(name))).toEqual([]);
		expect(ours?.parameters.directive).toMatch(/\S/);

		// So that it runs as it stands in the n8n that `npm run n8n` starts.
		const { id, name, type } = exampleCredential('http://127.0.0.1');
		expect(ours?.credentials).toEqual({ [type]: { id, name } });
	});

	it('has the headings to which the nodes and the credential link', () => {
		const codexFiles = packageJson.n8n.nodes.map((path) =>
			read(path.replace(/^dist\//, '').replace(/\.js$/, '.json')),
		);
		const types = [new BrowserAgent(), new BrowserAgentTrigger(), new BrowserAgentApi()];
		const texts = [JSON.stringify(types), ...codexFiles].join('\n');
		const anchors = texts.split(`${REPOSITORY_URL}#`).slice(1);
		const linked = new Set(anchors.map((text) => /^[\w-]+/.exec(text)?.[0] ?? ''));
		linked.delete('readme');

		expect(linked.size).toBeGreaterThan(0);
		expect([...linked].filter((anchor) => !anchorsIn('README.md').includes(anchor))).toEqual([]);
	});

	it('has the pages and headings to which texts of the nodes link', () => {
		const nodes = [new BrowserAgent().description, new BrowserAgentTrigger().description];
		const home = `${REPOSITORY_URL}/blob/main/`;
		const source = sourceOf('nodes').replaceAll('${REPOSITORY_URL}', REPOSITORY_URL);
		const texts = JSON.stringify(nodes) + source;
		const links = texts
			.split(home)
			.slice(1)
			.map((text) => /^[\w./#-]+/.exec(text)?.[0] ?? '');

		expect(links.length).toBeGreaterThan(0);
		expect([...new Set(links)].filter((link) => isBroken('README.md', link))).toEqual([]);
	});

	it.each(PAGES)('has commands that exist, in %s', (page) => {
		const { scripts } = packageJson;
		const text = read(page);
		const commands = [...text.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = '']) => name);
		// By convention, `npx jest` is followed by parts of the paths of test files.
		const patterns = [...text.matchAll(/`npx jest ([^`-]+)`/g)]
			.flatMap(([, parts = '']) => parts.split(' '))
			.filter((pattern) => !TEST_FILES.some((file) => file.includes(pattern)));

		expect(commands.filter((name) => !(name in scripts))).toEqual([]);
		expect(patterns).toEqual([]);
	});

	it('counts the assumptions about the service as the page about the sandbox lists them', () => {
		const [, list = ''] = /^## What it assumes\n([\s\S]*)/m.exec(read('docs/sandbox.md')) ?? [];
		const assumptions = list.match(/^- /gm) ?? [];
		const counts = PAGES.flatMap((page) => [...read(page).matchAll(/(\d+) assumptions/g)]);

		expect(counts.length).toBeGreaterThan(0);
		expect(new Set(counts.map(([, count]) => Number(count)))).toEqual(
			new Set([assumptions.length]),
		);
	});

	// By convention, names of our fields and their choices are in italics, those of n8n in bold.
	it.each(USER_PAGES)('names fields as they are on the screen, in %s', (page) => {
		const types = [new BrowserAgent().description, new BrowserAgentTrigger().description];
		const shown = [...types, new BrowserAgentApi()].flatMap(({ properties }) =>
			namesOf(properties),
		);
		const named = [...proseOf(page).matchAll(/(?<![\w*])_([^_\n]+)_(?![\w*])/g)];
		const names = named.map(([, name = '']) => name);

		expect(names.filter((name) => !shown.includes(name))).toEqual([]);
	});

	it('has all states of a job', () => {
		const states = Object.keys(TRANSITIONS).map((state) => `\`${state}\``);

		expect(read('docs/design.md')).toContain(`\`JobState\`: ${states.join(', ')}.`);
	});

	it('quotes messages as the code has them, in the tables of the page about troubleshooting', () => {
		const source = ['nodes', 'credentials', 'local-service'].map(sourceOf).join('');
		const rows = read('docs/troubleshooting.md').match(/^\| [^|]+(?= \|)/gm) ?? [];
		const messages = rows
			.map((row) => row.slice(2).trim())
			.filter((row) => !/^(Message|-+)$/.test(row));
		const parts = messages.flatMap((message) => message.split(/…| · /)).map((part) => part.trim());

		expect(messages.length).toBeGreaterThan(0);
		expect(parts.filter((part) => !source.includes(part))).toEqual([]);
	});
});
