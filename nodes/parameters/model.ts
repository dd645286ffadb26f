import { DEFAULT_MODEL, MODELS } from '../service/documentedValues';
import { choice, readField, requiredText, type ParameterContext } from './field';

const SERVICE_DEFAULT = 'default';
const CUSTOM = 'custom';

const DEFAULT_PRICE = MODELS.find(({ id }) => id === DEFAULT_MODEL)?.creditsPerStep ?? 0;

const modelField = choice({
	displayName: 'Model',
	name: 'model',
	type: 'options',
	// Not alphabetical: from the cheapest model to the most expensive one, between the default and
	// the way to enter another.
	options: [
		{
			name: 'Service Default',
			value: SERVICE_DEFAULT,
			description: `According to the service's documentation: ${DEFAULT_MODEL}, ${toPrice(DEFAULT_PRICE).toLowerCase()}`,
		},
		...MODELS.map(({ id, creditsPerStep }) => ({
			name: `${id} (${toPrice(creditsPerStep)})`,
			value: id,
		})),
		{ name: 'Custom', value: CUSTOM, description: 'Enter the name of another model' },
	],
	default: SERVICE_DEFAULT,
	description:
		"Model that chooses the agent's actions. A job costs credits per step: 12 steps at 5 credits are 60.",
	builderHint: {
		propertyHint: `Credits per step: ${MODELS.map(({ id, creditsPerStep }) => `${id} ${creditsPerStep}`).join(', ')}. Keep 'default' unless the user names a model or a budget.`,
	},
});

const customModelField = requiredText({
	displayName: 'Custom Model',
	name: 'customModel',
	type: 'string',
	// If it were `required`, n8n would demand it whenever 'Model' is an expression.
	default: '',
	placeholder: 'e.g. vendorc-4o',
	description: 'Name of the model, as the service expects it',
	builderHint: { propertyHint: "Required with model 'custom'" },
	displayOptions: { show: { model: [CUSTOM] } },
});

export const modelFields = [modelField.property, customModelField.property];

function toPrice(creditsPerStep: number): string {
	return `${creditsPerStep} ${creditsPerStep === 1 ? 'Credit' : 'Credits'} per Step`;
}

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
