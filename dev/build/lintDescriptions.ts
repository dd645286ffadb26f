import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ESLint, type Linter } from 'eslint';
import type { INodeTypeDescription } from 'n8n-workflow';

const ROOT = resolve(__dirname, '../..');
const CONFIG = join(__dirname, 'eslint.descriptions.mjs');
// What n8n's rules read beside a node.
const NEEDED = ['package.json', 'credentials', 'icons'];

/** A finding that stays: its rule, and what its message or the line of the finding contains. */
interface KeptFinding {
	rule: string;
	contains: string;
}

const UNSORTED = 'n8n-nodes-base/node-param-options-type-unsorted-items';

const KEPT: KeptFinding[] = [
	// Resource: the most used come first, since n8n's panel lists the actions in this order.
	{ rule: UNSORTED, contains: 'Order: Account | Agent' },
	// Model: from the cheapest to the most expensive.
	{ rule: UNSORTED, contains: 'Order: Custom | o3' },
	// Residential IP: Disabled comes first, so that the way back is not hidden among countries.
	{ rule: UNSORTED, contains: 'Order: Australia | Brazil' },
	// Model: the service's own names.
	{ rule: 'n8n-nodes-base/node-param-display-name-miscased', contains: 'per Step)' },
];

/**
 * Runs n8n's rules on the evaluated descriptions of the nodes, by class name. n8n's plugins read
 * the source, and can't see fields that functions build; so each description is written into
 * `folder` as one plain object. Returns the findings that are not to stay, and those that should
 * stay but were not found.
 */
export async function lintDescriptions(
	folder: string,
	descriptions: Record<string, INodeTypeDescription>,
): Promise<string[]> {
	for (const path of NEEDED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
	for (const [className, description] of Object.entries(descriptions)) {
		const path = join(folder, 'nodes', className);
		mkdirSync(path, { recursive: true });
		writeFileSync(join(path, `${className}.node.ts`), toClass(className, description));
	}
	const eslint = new ESLint({ cwd: folder, overrideConfigFile: CONFIG, allowInlineConfig: false });
	const results = await eslint.lintFiles(['nodes/**/*.ts']);

	const unused = new Set(KEPT);
	const findings = results.flatMap(({ filePath, messages, source = '' }) =>
		messages
			.map((message) => ({ message, line: source.split('\n')[message.line - 1]?.trim() ?? '' }))
			.filter(({ message, line }) => {
				const kept = KEPT.find((one) => isSame(one, message, line));
				if (kept !== undefined) unused.delete(kept);
				return kept === undefined;
			})
			.map(({ message, line }) => {
				return `${filePath}: ${message.message} (${message.ruleId ?? 'eslint'}): ${line}`;
			}),
	);
	const stale = [...unused].map(
		({ rule, contains }) => `lintDescriptions.ts: ${rule} no longer finds "${contains}"`,
	);
	return [...findings, ...stale];
}

function isSame(
	{ rule, contains }: KeptFinding,
	message: Linter.LintMessage,
	line: string,
): boolean {
	return message.ruleId === rule && `${message.message} ${line}`.includes(contains);
}

function toClass(className: string, description: INodeTypeDescription): string {
	// What the source has for this text.
	const literal = toLiteral(description, '\t').replaceAll(
		/((?:in|out)puts: \[\s+)"main"/g,
		'$1NodeConnectionTypes.Main',
	);
	return `import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

export class ${className} implements INodeType {
	description: INodeTypeDescription = ${literal};
}
`;
}

/** Writes data as code. n8n's rules look for names of properties without quotes. */
function toLiteral(value: unknown, indent: string): string {
	if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
	const inner = `${indent}\t`;
	const lines = Array.isArray(value)
		? value.map((entry) => toLiteral(entry, inner))
		: Object.entries(value).map(([name, entry]) => {
				const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
				return `${key}: ${toLiteral(entry, inner)}`;
			});
	const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
	if (lines.length === 0) return `${open}${close}`;
	return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`;
}
