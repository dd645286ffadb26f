import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import { isObject } from '../isObject';
import type { ItemOutcome } from './types';

/**
 * Returns a hint for an output that is a list, or whose only field is one: how to get an item for
 * each entry. Undefined if no item has such an output.
 */
export function listHint(outcomes: ItemOutcome[]): string | undefined {
	const fields = outcomes.map(({ outcome }) =>
		outcome.kind === 'output' ? listField(outcome.json.output) : undefined,
	);
	const field = fields.find((one) => one !== undefined);
	if (field === undefined) return undefined;
	return `The output is a list. To get one item per entry, add a Split Out node with ${toPlainText(field, MAX_NAME_CHARACTERS)} in 'Fields To Split Out'.`;
}

function listField(output: unknown): string | undefined {
	if (isSeveral(output)) return 'output';
	if (!isObject(output)) return undefined;
	const [entry, ...others] = Object.entries(output);
	if (entry === undefined || others.length > 0) return undefined;
	const [name, value] = entry;
	return isSeveral(value) ? `output.${name}` : undefined;
}

function isSeveral(data: unknown): boolean {
	return Array.isArray(data) && data.length > 1;
}
