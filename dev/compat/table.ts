import { CHECKS, FEATURES, type CheckName, type FeatureName } from './checks/report';
import type { ReleaseResult } from './checkRelease';

const TITLES: Record<CheckName | FeatureName, string> = {
	jobs: 'Jobs',
	waiting: 'Waiting',
	trigger: 'Trigger',
	files: 'Files',
	tool: 'AI tool',
	credential: 'Credential',
	suspension: '_Suspend While Waiting_',
	highlightedData: 'Highlighted data',
	hints: 'Hints',
};

// Between these lines of the page.
const BEGIN = '<!-- The table is written by `npm run test:compat`. -->';
const END = '<!-- End of the table. -->';

/** The page with the table of these results in place of its last one. */
export function replaceTable(page: string, results: ReleaseResult[]): string {
	const [before, rest = ''] = page.split(BEGIN);
	const [, after] = rest.split(END);
	if (before === undefined || after === undefined) {
		throw new Error(`The page must have the lines ${BEGIN} and ${END}`);
	}
	return `${before}${BEGIN}\n\n${toTable(results)}\n\n${END}${after}`;
}

/** One row for each release, as Markdown. */
export function toTable(results: ReleaseResult[]): string {
	const names = [...CHECKS, ...FEATURES];
	const head = ['n8n', 'Node.js', ...names.map((name) => TITLES[name])];
	const rows = results.map((result) => [
		result.release.n8n,
		String(result.release.node),
		...names.map((name) => toCell(result, name)),
	]);
	return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Each failure of a release in a line; none: it passed. */
export function failuresOf(result: ReleaseResult): string[] {
	if ('error' in result) return [result.error];
	return Object.entries(result.report.errors).map(([name, error]) => `${name}: ${error}`);
}

function toCell(result: ReleaseResult, name: CheckName | FeatureName): string {
	if ('error' in result || result.report.errors[name] !== undefined) return 'fails';
	const isMissing = name in result.report.features && !result.report.features[name as FeatureName];
	return isMissing ? '–' : 'yes';
}
