import { type TestReport, toSentence, withFigures } from '../../../dev/docs/proofs';

const COVERAGE = { total: { lines: { pct: 99.71 }, branches: { pct: 96.5 } } };

function report(changed: Partial<TestReport> = {}): TestReport {
	return {
		numPassedTests: 1234,
		numFailedTests: 0,
		numRuntimeErrorTestSuites: 0,
		testResults: [
			{ endTime: Date.UTC(2026, 0, 31, 12, 1, 5) },
			{ endTime: Date.UTC(2026, 0, 31, 12, 0, 9) },
		],
		...changed,
	};
}

describe('The figures of docs/proofs.md', () => {
	it('are the tests that passed, their time and their coverage', () => {
		expect(toSentence(report(), COVERAGE)).toBe(
			'On 2026-01-31, 1,234 tests in 2 files passed. They cover 99.71 % of the lines and 96.5 % of the branches of `nodes/` and `credentials/`.',
		);
	});

	it.each<[string, Partial<TestReport>]>([
		['a test', { numFailedTests: 1 }],
		['a file that could not be loaded', { numRuntimeErrorTestSuites: 1 }],
	])('are not written if %s has failed', (_label, changed) => {
		expect(() => toSentence(report(changed), COVERAGE)).toThrow('1 tests have failed');
	});

	it('replace the earlier ones and nothing else', () => {
		const page = (text: string) =>
			`before\n\n<!-- figures -->\n\n${text}\n\n<!-- end of the figures -->\n\nafter\n`;

		expect(withFigures(page('Old.'), 'New, for $1.')).toBe(page('New, for $1.'));
	});
});
