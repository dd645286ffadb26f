import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import packageJson from '../../package.json';

const ROOT = resolve(__dirname, '../..');
const CONFIGURATION = [
	'eslint.config.mjs',
	'scripts',
	'tsconfig.json',
	'tsconfig.all.json',
	'icons',
	'package.json',
];

/**
 * Runs ESLint as `npm run lint` does, in a project of its own with our configuration and these
 * files. Returns for each file the rules that found something, or the finding where no rule did.
 */
function lint(files: Record<string, string>): Map<string, string[]> {
	const project = mkdtempSync(join(tmpdir(), 'lint-test-'));
	try {
		prepare(project, files);
		return runEslint(project, Object.keys(files));
	} finally {
		rmSync(project, { recursive: true, force: true });
	}
}

function prepare(project: string, files: Record<string, string>): void {
	for (const path of CONFIGURATION) {
		cpSync(join(ROOT, path), join(project, path), { recursive: true });
	}
	symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'), 'junction');
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(project, path)), { recursive: true });
		writeFileSync(join(project, path), text);
	}
}

function runEslint(project: string, paths: string[]): Map<string, string[]> {
	const eslint = join(ROOT, 'node_modules/eslint/bin/eslint.js');
	const run = spawnSync(process.execPath, [eslint, '--format', 'json', ...paths], {
		cwd: project,
		encoding: 'utf8',
		maxBuffer: 64 * 1024 * 1024,
	});
	if (!run.stdout.startsWith('[')) throw new Error(run.stdout + run.stderr);

	const results = JSON.parse(run.stdout) as Array<{
		filePath: string;
		messages: Array<{ ruleId: string | null; message: string }>;
	}>;
	return new Map(
		paths.map((path) => [
			path,
			results
				.filter(({ filePath }) => filePath.replaceAll('\\', '/').endsWith(`/${path}`))
				.flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message)),
		]),
	);
}

/** A node that obeys every rule, with the given text put in the place of another. */
function aNode(className: string, replaced = '', by = ''): string {
	const text = `
import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

export class ${className} implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Probe',
		name: '${className.charAt(0).toLowerCase()}${className.slice(1)}',
		icon: {
			light: 'file:../../icons/browserAgent.svg',
			dark: 'file:../../icons/browserAgent.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter.count }}',
		description: 'Probes the linter',
		defaults: { name: 'Probe' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		properties: [
			{
				displayName: 'Count',
				name: 'count',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 10 },
				default: 1,
			},
			{
				displayName: 'Quick',
				name: 'quick',
				type: 'boolean',
				default: false,
				description: 'Whether to be quick',
			},
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getInputData()];
	}
}
`;
	if (!text.includes(replaced)) throw new Error(`Nothing to replace: ${replaced}`);
	return text.replace(replaced, by);
}

/** A credential that obeys every rule, with the given text put in the place of another. */
function aCredential(className: string, replaced = '', by = ''): string {
	const text = `
import type { ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

export class ${className} implements ICredentialType {
	name = '${className.charAt(0).toLowerCase()}${className.slice(1)}';

	displayName = 'Probe API';

	documentationUrl = 'https://example.com/probe';

	icon = {
		light: 'file:../icons/browserAgent.svg',
		dark: 'file:../icons/browserAgent.dark.svg',
	} as const;

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
		},
	];

	test: ICredentialTestRequest = { request: { baseURL: 'https://example.com', url: '/' } };
}
`;
	if (!text.includes(replaced)) throw new Error(`Nothing to replace: ${replaced}`);
	return text.replace(replaced, by);
}

const TIMER = 'export const timer = setTimeout(() => {}, 1);\n';

/** What the file is about, its path, its text, and the rule that finds it. */
const BAD_FILES: Array<[subject: string, path: string, text: string, rule: string]> = [
	['a timer in a node', 'nodes/timer.ts', TIMER, '@n8n/community-nodes/no-restricted-globals'],
	[
		'a timer in a credential',
		'credentials/timer.ts',
		TIMER,
		'@n8n/community-nodes/no-restricted-globals',
	],
	[
		'a timer that a comment excuses',
		'nodes/excusedTimer.ts',
		`// eslint-disable-next-line\n${TIMER}`,
		'@n8n/community-nodes/no-restricted-globals',
	],
	[
		'an import of a package that n8n does not provide',
		'nodes/import.ts',
		"import 'left-pad';\n",
		'@n8n/community-nodes/no-restricted-imports',
	],
	['text for the console', 'nodes/console.ts', 'console.log(1);\n', 'no-console'],
	[
		'a node that does not say whether it is a tool',
		'nodes/NoTool/NoTool.node.ts',
		aNode('NoTool', '\t\tusableAsTool: true,\n'),
		'@n8n/community-nodes/node-usable-as-tool',
	],
	[
		'a node with an icon that is not there',
		'nodes/NoIcon/NoIcon.node.ts',
		aNode('NoIcon', 'browserAgent.dark.svg', 'nowhere.svg'),
		'@n8n/community-nodes/icon-validation',
	],
	[
		'a boolean field without "Whether"',
		'nodes/NoWhether/NoWhether.node.ts',
		aNode('NoWhether', 'Whether to be quick', 'Be quick'),
		'n8n-nodes-base/node-param-description-boolean-without-whether',
	],
	[
		'a node in a file of another name',
		'nodes/Other/Another.node.ts',
		aNode('Other'),
		'n8n-nodes-base/node-filename-against-convention',
	],
	[
		'a codex file with a secret in it',
		'nodes/Secret/Secret.node.json',
		'{ "apiKey": "0123456789abcdef0123456789abcdef" }',
		'@n8n/community-nodes/no-hardcoded-secrets',
	],
	[
		'a credential whose name lacks "Api"',
		'credentials/WrongNameApi.credentials.ts',
		aCredential('WrongNameApi', "'wrongNameApi'", "'wrongName'"),
		'n8n-nodes-base/cred-class-field-name-unsuffixed',
	],
	[
		'a credential without a test',
		'credentials/UntestedApi.credentials.ts',
		aCredential('UntestedApi', '\ttest: ', '\tunused: '),
		'@n8n/community-nodes/credential-test-required',
	],
	[
		'a promise nobody waits for',
		'test/floating.ts',
		'Promise.resolve(1);\n',
		'@typescript-eslint/no-floating-promises',
	],
	[
		'a promise taken for a condition',
		'nodes/misused.ts',
		'export const word = (p: Promise<boolean>) => (p ? 1 : 2);\n',
		'@typescript-eslint/no-misused-promises',
	],
	[
		'any',
		'nodes/any.ts',
		'export const word = (value: any): string => String(value);\n',
		'@typescript-eslint/no-explicit-any',
	],
	[
		'a type imported as a value',
		'nodes/typeImport.ts',
		"import { INode } from 'n8n-workflow';\nexport const word = (node: INode) => node.name;\n",
		'@typescript-eslint/consistent-type-imports',
	],
];

const BAD_PACKAGE: Array<[subject: string, part: object, rule: string]> = [
	[
		'a dependency',
		{ dependencies: { axios: '^1.0.0' } },
		'@n8n/community-nodes/no-runtime-dependencies',
	],
	['overrides', { overrides: { axios: '1.0.0' } }, '@n8n/community-nodes/no-overrides-field'],
	[
		'a script that npm runs by itself',
		{ scripts: { postinstall: 'node x.js' } },
		'@n8n/community-nodes/no-forbidden-lifecycle-scripts',
	],
	[
		'a missing keyword',
		{ keywords: ['n8n'] },
		'n8n-nodes-base/community-package-json-keywords-without-official-tag',
	],
	[
		'another licence',
		{ license: 'ISC' },
		'n8n-nodes-base/community-package-json-license-not-default',
	],
];

describe('npm run lint', () => {
	// One run for all bad files, since most of its time goes into reading n8n's types.
	let findings: Map<string, string[]>;
	beforeAll(() => {
		findings = lint({
			...Object.fromEntries(BAD_FILES.map(([, path, text]) => [path, text])),
			'package.json': JSON.stringify(
				Object.assign({ ...packageJson }, ...BAD_PACKAGE.map(([, part]) => part)),
			),
		});
	}, 120_000);

	it('accepts a node and a credential as n8n wants them', () => {
		const good = lint({
			'nodes/Probe/Probe.node.ts': aNode('Probe'),
			'credentials/ProbeApi.credentials.ts': aCredential('ProbeApi'),
			'package.json': JSON.stringify({
				...packageJson,
				n8n: {
					n8nNodesApiVersion: 1,
					credentials: ['dist/credentials/ProbeApi.credentials.js'],
					nodes: ['dist/nodes/Probe/Probe.node.js'],
				},
			}),
		});

		expect([...good.values()].flat()).toEqual([]);
	}, 120_000);

	it.each(BAD_FILES)('finds %s', (_subject, path, _text, rule) => {
		expect(findings.get(path)).toContain(rule);
	});

	it('finds the comment that excuses a line in a node', () => {
		const found = findings.get('nodes/excusedTimer.ts');

		expect(found).toContainEqual(expect.stringContaining('has no effect'));
	});

	it.each(BAD_PACKAGE)('finds %s in package.json', (_subject, _part, rule) => {
		expect(findings.get('package.json')).toContain(rule);
	});
});
