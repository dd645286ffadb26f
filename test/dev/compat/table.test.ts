import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { ReleaseResult } from '../../../dev/compat/checkRelease';
import { RELEASES } from '../../../dev/compat/releases';
import { failuresOf, replaceTable, toTable } from '../../../dev/compat/table';

const PAGE = readFileSync(path.join(__dirname, '../../../docs/compatibility.md'), 'utf8');
const RELEASE = { n8n: '2.0.0', core: '2.0.0', node: 20 as const };

function result(errors: object = {}, features: object = {}): ReleaseResult {
	const all = { suspension: true, highlightedData: true, hints: true, ...features };
	return { release: RELEASE, report: { errors, features: all } };
}

function lastRow(one: ReleaseResult): string {
	return toTable([one]).split('\n').at(-1) ?? '';
}

describe('The table of compatible releases', () => {
	it('says yes for what works', () => {
		expect(lastRow(result())).toBe(`| 2.0.0 | 20 |${' yes |'.repeat(9)}`);
	});

	it('shows a dash for what n8n lacks and the package does without', () => {
		expect(lastRow(result({}, { suspension: false }))).toBe(
			`| 2.0.0 | 20 |${' yes |'.repeat(6)} – | yes | yes |`,
		);
	});

	it('says which check fails', () => {
		const failing = result({ jobs: 'No job was started' });

		expect(lastRow(failing)).toBe(`| 2.0.0 | 20 | fails |${' yes |'.repeat(8)}`);
		expect(failuresOf(failing)).toEqual(['jobs: No job was started']);
	});

	it('says that everything fails when the package can not be loaded', () => {
		const failing = { release: RELEASE, error: 'Class could not be found' };

		expect(lastRow(failing)).toBe(`| 2.0.0 | 20 |${' fails |'.repeat(9)}`);
		expect(failuresOf(failing)).toEqual(['Class could not be found']);
	});

	it('replaces the table of the page, and nothing else', () => {
		const changed = replaceTable(PAGE, [result()]);

		expect(changed).toContain(toTable([result()]));
		expect(changed.replace(toTable([result()]), '')).toBe(
			replaceTable(PAGE, []).replace(toTable([]), ''),
		);
	});

	it('on the page has a row for each release that is checked', () => {
		const rows = [...PAGE.matchAll(/^\| (\d[\d.]+) /gm)].map(([, version]) => version);

		expect(rows).toEqual(RELEASES.map(({ n8n }) => n8n));
	});
});
