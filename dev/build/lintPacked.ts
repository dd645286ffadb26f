// Packs the package as npm would publish it, and checks the result: it has everything that n8n
// loads and nothing that users don't need, and n8n's rules accept its code and its descriptions.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { ESLint } from 'eslint';
import type { INodeTypeDescription } from 'n8n-workflow';

import type packageJson from '../../package.json';
import { runCommandLine, say } from '../commandLine';
import { lintDescriptions } from './lintDescriptions';

const ROOT = resolve(__dirname, '../..');
const TOP_FILES = ['LICENSE.md', 'README.md', 'index.js', 'package.json'];
const NEEDED_FILES = [...TOP_FILES, 'dist/THIRD_PARTY_NOTICES.md'];
const BUILT_FILE =
	/^dist\/(bundle\.js|THIRD_PARTY_NOTICES\.md|(credentials|icons|nodes)\/.+\.(js|json|svg))$/;
// What GuardDog's YARA rules, with which n8n scans packages, take for malware, even if it is only
// the name of a harmless function. The rules themselves are not on npm.
const SUSPICIOUS_CODE = [
	/\bdownloadFile\s*\(/i,
	/\bInvoke-WebRequest\b|\bpowershell\b|\b(?:curl|wget)\s/i,
	/(?<![.\w])eval\s*\(|\bnew\s+Function\s*\(/,
	/\bchild_process\b|\bprocess\.env\b|\bos\.(?:hostname|userInfo)\b/,
	/\bclipboard\b|\bcrontab\b|\bchmod\b/i,
	/api\.telegram\.org|discord(?:app)?\.com/i,
];
const RUNTIME_PACKAGES = ['n8n-workflow', 'node:crypto'];

interface PackReport {
	filename: string;
	files: Array<{ path: string }>;
	size: number;
	unpackedSize: number;
}

interface LoadedClass {
	icon?: ThemedIcon;
	description?: { icon?: ThemedIcon };
}

interface ThemedIcon {
	light?: string;
	dark?: string;
}

const workFolder = realpathSync(mkdtempSync(join(tmpdir(), 'lint-packed-')));

async function main(): Promise<boolean> {
	try {
		const { files, size, unpackedSize } = pack();
		const scripts = files.filter((path) => path.endsWith('.js'));
		const findings = [
			...checkContent(files),
			...checkImports(scripts),
			...checkCode(scripts),
			...checkClasses(),
			...(await lint([...scripts, 'package.json'])),
			...(await lintDescriptions(join(workFolder, 'evaluated'), descriptions())),
		];

		for (const finding of findings) say(finding);
		say(`Packed size: ${inKilobytes(size)}, unpacked: ${inKilobytes(unpackedSize)}`);
		say(`${files.length} files checked, ${findings.length} findings`);
		return findings.length === 0;
	} finally {
		rmSync(workFolder, { recursive: true, force: true });
	}
}

/** Unpacks the package into `package/`, next to the installed packages that it may load. */
function pack() {
	const report = execFileSync('npm', ['pack', '--json', '--pack-destination', workFolder], {
		cwd: ROOT,
		encoding: 'utf8',
		shell: process.platform === 'win32',
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [packed] = Object.values(JSON.parse(report) as Record<string, PackReport>);
	if (packed === undefined) throw new Error('npm packed nothing');
	const { filename, files, size, unpackedSize } = packed;
	execFileSync('tar', ['-xzf', filename], { cwd: workFolder });
	symlinkSync(join(ROOT, 'node_modules'), join(workFolder, 'node_modules'), 'junction');
	return { files: files.map(({ path }) => path), size, unpackedSize };
}

function checkContent(files: string[]): string[] {
	return [
		...files
			.filter((path) => !TOP_FILES.includes(path) && !isBuiltFile(path))
			.map((path) => `${path}: does not belong in the package`),
		...NEEDED_FILES.filter((path) => !files.includes(path)).map((path) => `${path}: is missing`),
	];
}

function isBuiltFile(path: string): boolean {
	return BUILT_FILE.test(path) && !/\.test\.|(^|\/)(test|__tests__)\//.test(path);
}

// n8n's scan accepts imports of development dependencies, which users don't have.
function checkImports(scripts: string[]): string[] {
	return scripts.flatMap((path) =>
		[...readPacked(path).matchAll(/\b(?:require|import)\(\s*["']([^"']+)["']/g)]
			.map(([, name = '']) => name)
			.filter((name) => !name.startsWith('.') && !RUNTIME_PACKAGES.includes(name))
			.map((name) => `${path}: loads ${name}, which users don't have`),
	);
}

function checkCode(files: string[]): string[] {
	return files.flatMap((path) =>
		SUSPICIOUS_CODE.flatMap((pattern) => pattern.exec(readPacked(path)) ?? []).map(
			(found) => `${path}: code scanners take "${found}" for malware`,
		),
	);
}

/** Loads each class as n8n does, and checks that the files it refers to exist. */
function checkClasses(): string[] {
	const { n8n } = JSON.parse(readPacked('package.json')) as typeof packageJson;
	return [...n8n.credentials, ...n8n.nodes].flatMap((path) => {
		if (!existsSync(inPackage(path))) return `${path}: is missing, though package.json names it`;
		const { icon, codex } = load(path);
		return [icon?.light, icon?.dark, ...codex]
			.filter((file) => file === undefined || !existsSync(inPackage(file)))
			.map((file) => `${path}: ${file ? `${file} is missing` : 'has no light and dark icon'}`);
	});
}

/** The descriptions of the nodes, by class name. */
function descriptions(): Record<string, INodeTypeDescription> {
	const { n8n } = JSON.parse(readPacked('package.json')) as typeof packageJson;
	return Object.fromEntries(
		n8n.nodes.map((path) => [classNameOf(path), createInstance(path).description]),
	) as Record<string, INodeTypeDescription>;
}

function classNameOf(path: string): string {
	return basename(path).split('.')[0] ?? '';
}

function createInstance(path: string): LoadedClass {
	const classes = createRequire(inPackage(path))(inPackage(path)) as Record<
		string,
		new () => LoadedClass
	>;
	const className = classNameOf(path);
	const Class = classes[className];
	if (Class === undefined) throw new Error(`${path} has no class ${className}`);
	return new Class();
}

function load(path: string) {
	const loaded = createInstance(path);
	const icon = loaded.description?.icon ?? loaded.icon;
	const toPath = (file?: string) => file && join(dirname(path), file.replace(/^file:/, ''));
	return {
		icon: { light: toPath(icon?.light), dark: toPath(icon?.dark) },
		codex: path.endsWith('.node.js') ? [path.replace(/\.js$/, '.json')] : [],
	};
}

async function lint(files: string[]): Promise<string[]> {
	const eslint = new ESLint({
		cwd: join(workFolder, 'package'),
		allowInlineConfig: false,
		overrideConfigFile: join(ROOT, 'eslint.n8n.mjs'),
	});
	const results = await eslint.lintFiles(files);
	return results.flatMap(({ filePath, messages }) =>
		messages.map(({ line, ruleId, message }) => {
			const path = files.find((file) => inPackage(file) === filePath);
			return `${path}:${line ?? 1}: ${message} (${ruleId ?? 'eslint'})`;
		}),
	);
}

function readPacked(path: string): string {
	return readFileSync(inPackage(path), 'utf8');
}

function inPackage(path: string): string {
	return join(workFolder, 'package', path);
}

function inKilobytes(bytes: number): string {
	return `${(bytes / 1000).toFixed(1)} kB`;
}

runCommandLine(main);
