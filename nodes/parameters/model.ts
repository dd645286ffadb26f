import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_MODEL, MODELS } from '../service/models';
import { toChoice, toRequiredText, type ParameterContext } from './readValue';

const CUSTOM = 'custom';

/** The choice of the model that selects the agent's actions, with what a step costs. */
export const modelFields: INodeProperties[] = [
	{
		displayName: 'Model',
		name: 'model',
		type: 'options',
		options: [
			...MODELS.map(({ id, creditsPerStep }) => ({
				name: `${id} (${creditsPerStep} ${creditsPerStep === 1 ? 'Credit' : 'Credits'} per Step)`,
				value: id,
			})),
			{
				name: 'Custom',
				value: CUSTOM,
				description: 'Enter the identifier of another model',
			},
		],
		default: DEFAULT_MODEL,
		description: "The model that selects the agent's actions. It sets the price of each step.",
	},
	{
		displayName: 'Custom Model',
		name: 'customModel',
		type: 'string',
		// Not `required`: n8n would want it whenever 'Model' is an expression. The reader does.
		default: '',
		placeholder: 'e.g. vendorc-4o',
		description: 'Identifier of the model, as the service knows it',
		displayOptions: { show: { model: [CUSTOM] } },
	},
];

/** Throws a `UserError` for a model that is not in the list, and for a blank custom one. */
export function readModel(context: ParameterContext, itemIndex: number): string {
	const choices = [...MODELS.map(({ id }) => id), CUSTOM];
	const value = context.getNodeParameter('model', itemIndex, DEFAULT_MODEL);
	const model = toChoice(value, 'Model', choices);
	if (model !== CUSTOM) return model;
	return toRequiredText(
		context.getNodeParameter('customModel', itemIndex, ''),
		'Custom Model',
	).trim();
}
