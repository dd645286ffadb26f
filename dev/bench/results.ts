import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { format } from 'oxfmt';

import { isReached, type Check, type Row, type RowResult } from './Bench';
import { figure } from './figures';

const FILE = path.join(__dirname, 'RESULTS.md');

/** A row in one line: its figures and, if they are judged, whether the targets are reached. */
export function toLine({ title }: Row, { checks }: RowResult, isJudged: boolean): string {
	const reached = checks.every(isReached) ? 'REACHED' : 'NOT REACHED';
	const verdict = isJudged ? reached : 'works';
	const figures = checks.map(isJudged ? withTarget : withoutTarget);
	return `${title.padEnd(22)} ${verdict.padEnd(12)} ${figures.join('; ')}`;
}

/** Replaces a row's earlier results on the page of results. */
export async function writeResult({ title }: Row, result: RowResult): Promise<void> {
	const sections = readFileSync(FILE, 'utf8').split(/^(?=## )/m);
	const earlier = sections.findIndex((text) => text.startsWith(`## ${title}\n`));
	const place = earlier === -1 ? sections.length : earlier;
	sections.splice(place, 1, toSection(title, result));
	const { code: page } = await format(FILE, sections.join('\n\n'));
	writeFileSync(FILE, page);
}

function toSection(title: string, { checks, table, notes }: RowResult): string {
	const [head = [], ...lines] = table;
	const toRow = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [
		`## ${title}`,
		checks.map((check) => `- ${withTarget(check)}`).join('\n'),
		[toRow(head), toRow(head.map(() => '---')), ...lines.map(toRow)].join('\n'),
		notes,
		conditions(),
	].join('\n\n');
}

function withTarget(check: Check): string {
	const verdict = isReached(check) ? 'at most' : 'MISSED: at most';
	return `${withoutTarget(check)} (${verdict} ${figure(check.atMost)}${check.unit ?? ''})`;
}

function withoutTarget({ value, unit = '', figureOf }: Check): string {
	return `${figure(value)}${unit} ${figureOf}`;
}

function conditions(): string {
	const [processor] = cpus();
	const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
	const date = new Date().toISOString().slice(0, 10);
	const load = figure(loadavg()[1] ?? NaN);
	return `Measured on ${date} at commit ${commit}, on ${cpus().length} cores (${processor?.model.trim()}) at a load average of ${load}, with Node.js ${process.version}.`;
}
