import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { format } from 'oxfmt';

import { isReached, type Check, type Row, type RowResult } from './Bench';
import { figure } from './figures';

const PAGE = path.join(__dirname, 'RESULTS.md');

/** A row and what it has found. */
export interface Measurement {
	row: Row;
	result: RowResult;
	/** The machine's load average while it ran. */
	load: number;
}

/** A row in one line: whether its targets are reached, and its figures. */
export function toLine({ row, result, load }: Measurement): string {
	const verdict = result.checks.every(isReached) ? 'reached' : 'NOT REACHED';
	const figures = result.checks.map(withTarget).join('; ');
	return `${row.title}: ${verdict} at a load average of ${figure(load)}: ${figures}`;
}

/** Writes the page of results. */
export async function writePage(measurements: Measurement[]): Promise<void> {
	const sections = [
		'# Results of the benchmarks',
		measurements.flatMap(({ result }) => result.summary.map((line) => `- ${line}`)).join('\n'),
		conditions(),
		...measurements.map(toSection),
	];
	const { code: page } = await format(PAGE, sections.join('\n\n'));
	writeFileSync(PAGE, page);
}

function toSection({ row, result, load }: Measurement): string {
	const [head = [], ...lines] = result.table;
	const toRow = (cells: string[]) => `| ${cells.join(' | ')} |`;
	const kind = row.isSimulated ? 'simulated' : `measured, load ${load.toFixed(1)}`;
	return [
		`## ${row.title} (\`${row.name}\`, ${kind})`,
		[toRow(head), toRow(head.map(() => '---')), ...lines.map(toRow)].join('\n'),
		result.notes,
	].join('\n\n');
}

/** Figures with their targets as the table of a row. */
export function toTable(checks: Check[]): string[][] {
	return [
		['', 'figure', 'target'],
		...checks
			.filter(({ isOffPage }) => isOffPage !== true)
			.map(({ figureOf, value, atMost, unit = '' }) => {
				return [figureOf, `${figure(value)}${unit}`, figure(atMost)];
			}),
	];
}

function withTarget(check: Check): string {
	const { value, atMost, unit = '', figureOf } = check;
	const verdict = isReached(check) ? 'at most' : 'MISSED: at most';
	return `${figure(value)}${unit} ${figureOf} (${verdict} ${figure(atMost)}${unit})`;
}

function conditions(): string {
	const [processor] = cpus();
	const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
	const date = new Date().toISOString().slice(0, 10);
	return `Written by \`npm run bench\` on ${date} at commit ${commit}, with Node.js ${process.version} on ${cpus().length} cores (${processor?.model.trim()}). Repeat a row with \`npm run bench -- <row>\`. Simulated rows don't depend on the machine; nothing is measured above a load average of one per core. Targets are upper limits. A delay ends with the call that sees a job's end.`;
}
