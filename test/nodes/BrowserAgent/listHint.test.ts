import { listHint } from '../../../nodes/BrowserAgent/listHint';
import type { ItemOutcome } from '../../../nodes/BrowserAgent/types';

function itemsWith(...outputs: unknown[]): ItemOutcome[] {
	return outputs.map((output, itemIndex) => ({
		itemIndex,
		outcome: { kind: 'output', json: { status: 'completed', output } as never },
	}));
}

describe('The hint for a list', () => {
	it.each([
		['a list', [[1, 2]], 'output'],
		['a list in its only field', [{ lamps: [1, 2] }], 'output.lamps'],
		['a list for a later item', ['text', { lamps: [1, 2] }], 'output.lamps'],
	])('names the field to split out of an output that is %s', (_label, outputs, field) => {
		expect(listHint(itemsWith(...outputs))).toBe(
			`The output is a list. To get one item per entry, add a Split Out node with ${field} in 'Fields To Split Out'.`,
		);
	});

	it('shows no markup from the name of a field', () => {
		expect(listHint(itemsWith({ '<b>': [1, 2] }))).toContain('output.‹b›');
	});

	it.each([
		['text', 'a, b'],
		['nothing', undefined],
		['a single entry', [1]],
		['an object with more fields', { title: 'Lamps', lamps: [1, 2] }],
	])('is not shown for %s', (_label, output) => {
		expect(listHint(itemsWith(output))).toBeUndefined();
	});
});
