import type { INodeProperties } from 'n8n-workflow';

import { readCollection, toWholeNumber, type ParameterContext } from './readValue';

export const minimumCreditsField: INodeProperties = {
	displayName: 'Minimum Credits',
	name: 'minimumCredits',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 100,
	description:
		'Start nothing when the account has fewer credits than this. It is asked once, before the first job.',
};

/** Unset when the user did not ask for a check. */
export function readMinimumCredits(
	context: ParameterContext,
	itemIndex: number,
): number | undefined {
	const options = readCollection(context, 'options', itemIndex);
	if (!('minimumCredits' in options)) return undefined;
	return toWholeNumber(options.minimumCredits, 'Minimum Credits', { min: 0 });
}
