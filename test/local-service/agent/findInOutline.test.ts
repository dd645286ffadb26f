import { findInOutline } from '../../../local-service/agent/findInOutline';

const OUTLINE = `
- generic [active] [ref=e1]:
  - heading "Parts" [level=1] [ref=e2]
  - table [ref=e3]:
    - rowgroup [ref=e4]:
      - row [ref=e5]:
        - cell "Part 1" [ref=e6]
        - cell "7 EUR" [ref=e7]
        - cell [ref=e8]:
          - link "Order" [ref=e9]
      - row [ref=e10]:
        - cell "Part 2" [ref=e11]
        - cell "14 EUR" [ref=e12]
        - cell [ref=e13]:
          - link "Order" [ref=e14]
  - button "Part of a button" [ref=e15]`.trim();

describe('What is found in an outline', () => {
	it('is shown with its row, and with the elements that it is in', () => {
		expect(findInOutline(OUTLINE, 'Part 2')).toBe(
			`1 match:
- generic [active] [ref=e1]:
  - table [ref=e3]:
    - rowgroup [ref=e4]:
      - row [ref=e10]:
        - cell "Part 2" [ref=e11]
        - cell "14 EUR" [ref=e12]
        - cell [ref=e13]:
          - link "Order" [ref=e14]`,
		);
	});

	it.each([
		['in any case', 'part 2'],
		['with other white space', ' Part \n 2 '],
	])('matches %s', (_label, text) => {
		expect(findInOutline(OUTLINE, text)).toContain('14 EUR');
	});

	it('matches by words if no line contains the text', () => {
		expect(findInOutline(OUTLINE, 'button part')).toContain('[ref=e15]');
	});

	it('is nothing if there is none', () => {
		expect(findInOutline(OUTLINE, 'Part 9')).toBe('Nothing on this page contains "Part 9".');
		expect(findInOutline(OUTLINE, ' ')).toBe('Nothing to search for.');
	});

	it('is limited in matches and characters, and says so', () => {
		const rows = Array.from({ length: 2000 }, (_, index) => {
			return `  - row [ref=e${index}]:\n    - cell "Part ${index} ${'x'.repeat(300)}"`;
		});
		const found = findInOutline(`- table:\n${rows.join('\n')}`, 'part');

		expect(found).toMatch(/^2000 matches, the first 20 of them:\n/);
		expect(found.length).toBeLessThan(7000);
		expect(found).toMatch(/\(and more\)$/);
	});

	// With work that grows with the square of the lines, it would take minutes.
	it.each([
		['flat', () => '- text: part'],
		['deep', (index: number) => `${' '.repeat(index % 1000)}- text: part`],
	])(
		'is found in time in an outline of 100,000 lines: %s',
		(_label, toLine) => {
			const lines = Array.from({ length: 100_000 }, (_, index) => toLine(index));

			expect(findInOutline(lines.join('\n'), 'part')).toContain('the first 20 of them');
		},
		10_000,
	);
});
