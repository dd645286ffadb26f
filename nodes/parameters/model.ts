import { DEFAULT_MODEL, MODELS } from '../service/documentedValues';
import { choice, readField, requiredText, type ParameterContext } from './field';

const SERVICE_DEFAULT = 'default';
const CUSTOM = 'custom';

const modelField = choice({
	displayName: 'Model',
	name: 'model',
	type: 'options',
	options: [
		{
			name: 'Service Default',
			value: SERVICE_DEFAULT,
			description: `Use the service's default model: ${DEFAULT_MODEL}, according to its documentation`,
		},
		...MODELS.map(({ id, creditsPerStep }) => ({
			name: `${id} (${creditsPerStep} ${creditsPerStep === 1 ? 'Credit' : 'Credits'} per Step)`,
			value: id,
		})),
		{ name: 'Custom', value: CUSTOM, description: 'Enter the name of another model' },
	],
	default: SERVICE_DEFAULT,
	description: "Model that chooses the agent's actions. It determines the price per step.",
});

const customModelField = requiredText({
	displayName: 'Custom Model',
	name: 'customModel',
	type: 'string',
	// If it were `required`, n8n would demand it whenever 'Model' is an expression.
	default: '',
	placeholder: 'e.g. vendorc-4o',
	description: 'Name of the model, as the service expects it',
	displayOptions: { show: { model: [CUSTOM] } },
});

export const modelFields = [modelField.property, customModelField.property];

/**
 * Reads the name of the chosen model, as the service expects it; undefined for the service's
 * default, which may change. Throws a `UserError` for a model that is not in the list, and for a
 * blank custom one.
 */
export function readModel(context: ParameterContext, itemIndex: number): string | undefined {
	const model = readField(context, itemIndex, modelField);
	if (model === SERVICE_DEFAULT) return undefined;
	return model === CUSTOM ? readField(context, itemIndex, customModelField).trim() : model;
}
