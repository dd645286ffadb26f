import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import prettier from 'prettier';

import { isGood, type Bench, type Row, type RowResult } from './Bench';
import { toText } from './report';

const FILE = path.join(__dirname, 'RESULTS.md');
const GIB = 1024 ** 3;

/** Writes the page of results anew. */
export async function writeResults(
	bench: Bench,
	results: Array<{ row: Row; result: RowResult }>,
): Promise<void> {
	const page = [
		'# Results of the benchmarks',
		'Written by `npm run bench`. Each figure is the median of all runs, with the smallest and the largest in brackets.',
		list(circumstances(bench)),
		...results.flatMap(({ row, result }) => section(row, result)),
	].join('\n\n');
	const options = await prettier.resolveConfig(FILE);
	writeFileSync(FILE, await prettier.format(page, { ...options, parser: 'markdown' }));
}

function circumstances({ n8n, runs }: Bench): string[] {
	const [processor] = cpus();
	const gibibytes = Math.round(totalmem() / GIB);
	return [
		`Date: ${new Date().toISOString().slice(0, 10)}`,
		`Machine: ${cpus().length} cores (${processor?.model.trim() ?? 'unknown'}), ${gibibytes} GB of memory, ${process.platform}; the service is the sandbox in a process of its own on loopback`,
		`Versions: this package ${ownVersion()}, n8n ${n8n?.version ?? 'none'}, Node.js ${nodeVersion(n8n)}`,
		`Runs: at least ${runs} of each way, alternating`,
	];
}

function section({ title }: Row, result: RowResult): string[] {
	const { checks, table, notes, fault } = result;
	if (fault !== undefined) return [`## ${title}: broke off`, fault];
	const [head = [], ...lines] = table;
	const toRow = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [
		`## ${title}: ${isGood(result) ? 'reached' : 'not reached'}`,
		list(checks.map((check) => toText(check, false))),
		[toRow(head), toRow(head.map(() => '---')), ...lines.map(toRow)].join('\n'),
		notes,
	];
}

function ownVersion(): string {
	const file = path.join(__dirname, '../package.json');
	return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function nodeVersion(n8n: Bench['n8n']): string {
	if (n8n === undefined) return process.version;
	return execFileSync(n8n.node.program, ['--version'], { encoding: 'utf8' }).trim();
}

function list(entries: string[]): string {
	return entries.map((entry) => `- ${entry}`).join('\n');
}
