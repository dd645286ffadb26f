import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import path from 'node:path';
import prettier from 'prettier';

import { toVerdict, type Bench, type Row, type RowResult } from './Bench';
import { figure } from './figures';
import { toText } from './report';

const FILE = path.join(__dirname, 'RESULTS.md');
const GIB = 1024 ** 3;

/**
 * Writes what was measured to the page of results. The other rows stay as they are there, if they
 * were measured on the same machine with the same versions.
 */
export async function writeResults(
	bench: Bench,
	rows: Row[],
	results: Map<Row, RowResult>,
): Promise<void> {
	const options = await prettier.resolveConfig(FILE);
	const format = async (parts: string[]) =>
		await prettier.format(parts.join('\n\n'), { ...options, parser: 'markdown' });

	const head = await format([
		'# Results of the benchmarks',
		'Written by `npm run bench`. Each figure is the median of all runs, with the smallest and the largest in brackets. The figures of a row are measured side by side in one run, so compare them with one another, not with those of another machine. The load average at the end of a row says how busy the machine was with other work: with more than one for each core, times are not worth much, simulated figures as much as ever. Targets that nobody can reach are marked as out of reach, with the limit and its reason.',
		list(conditions(bench)),
	]);
	const earlier = earlierSections(head);
	const sections = rows.map((row) => {
		const result = results.get(row);
		return result === undefined ? earlierSection(row, earlier) : section(row, result).join('\n\n');
	});
	writeFileSync(FILE, await format([head, ...sections]));
}

function earlierSections(head: string): string[] {
	const page = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
	const [ownHead = '', ...sections] = page.split(/^(?=## )/m);
	return ownHead.trim() === head.trim() ? sections : [];
}

function earlierSection({ title }: Row, earlier: string[]): string {
	return earlier.find((text) => text.startsWith(`## ${title}:`)) ?? `## ${title}: not measured`;
}

function conditions({ n8n, runs }: Bench): string[] {
	const [processor] = cpus();
	const gibibytes = Math.round(totalmem() / GIB);
	return [
		`Machine: ${cpus().length} cores (${processor?.model.trim() ?? 'unknown'}), ${gibibytes} GB of memory, ${process.platform}; the service is the sandbox in a process of its own on loopback`,
		`Versions: this package ${ownVersion()}, n8n ${n8n?.version ?? 'none'}, Node.js ${nodeVersion(n8n)}`,
		`Runs: at least ${runs} of each way, alternating`,
	];
}

function section({ title }: Row, result: RowResult): string[] {
	const { checks, table, notes, error } = result;
	const load = figure(loadavg()[1] ?? NaN);
	const date = `Measured on ${new Date().toISOString().slice(0, 10)}, at a load average of ${load}.`;
	const heading = `## ${title}: ${toVerdict(result)}`;
	if (error !== undefined) return [heading, `${error}. ${date}`];
	const [head = [], ...lines] = table;
	const toRow = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [
		heading,
		list(checks.map((check) => toText(check, { isJudged: true }))),
		[toRow(head), toRow(head.map(() => '---')), ...lines.map(toRow)].join('\n'),
		`${notes} ${date}`,
	];
}

function ownVersion(): string {
	const file = path.join(__dirname, '../../package.json');
	return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function nodeVersion(n8n: Bench['n8n']): string {
	if (n8n === undefined) return process.version;
	return execFileSync(n8n.node.program, ['--version'], { encoding: 'utf8' }).trim();
}

function list(entries: string[]): string {
	return entries.map((entry) => `- ${entry}`).join('\n');
}
