import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { runCommandLine, say } from '../commandLine';

const ROOT = path.join(__dirname, '../..');
const PAGE = path.join(ROOT, 'docs/proofs.md');
const FIGURES = /(<!-- figures -->\n)[\s\S]*?(\n<!-- end of the figures -->)/;

/** What is used of the report that Jest writes with `--json`; times are in ms since 1970. */
export interface TestReport {
	numPassedTests: number;
	numFailedTests: number;
	numRuntimeErrorTestSuites: number;
	testResults: Array<{ endTime: number }>;
}

/** What is used of Jest's summary of the coverage. */
export interface CoverageSummary {
	total: Record<'lines' | 'branches', { pct: number }>;
}

/** `npm run docs:proofs`, after the tests: writes their figures into docs/proofs.md. */
async function main(): Promise<void> {
	const sentence = toSentence(
		readJson<TestReport>('coverage/tests.json'),
		readJson<CoverageSummary>('coverage/coverage-summary.json'),
	);
	writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), sentence));
	say(sentence);
}

function readJson<T>(file: string): T {
	return JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as T;
}

/** Returns what the tests have shown, in a sentence. Throws unless all of them have passed. */
export function toSentence(report: TestReport, { total }: CoverageSummary): string {
	const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = report;
	const failed = numFailedTests + numRuntimeErrorTestSuites;
	if (failed > 0) throw new Error(`${failed} tests have failed, so there are no figures`);

	const files = report.testResults.length;
	const endTime = Math.max(...report.testResults.map((result) => result.endTime));
	const day = new Date(endTime).toISOString().slice(0, 10);
	return (
		`On ${day}, ${numPassedTests.toLocaleString('en')} tests in ${files} files passed. ` +
		`They cover ${total.lines.pct} % of the lines and ${total.branches.pct} % of ` +
		'the branches of `nodes/` and `credentials/`.'
	);
}

/** Returns the page with other figures. Throws if it has no place for them. */
export function withFigures(page: string, sentence: string): string {
	if (!FIGURES.test(page)) throw new Error('docs/proofs.md has no place for the figures');
	return page.replace(
		FIGURES,
		(_all, begin: string, end: string) => `${begin}\n${sentence}\n${end}`,
	);
}

if (require.main === module) runCommandLine(main);
