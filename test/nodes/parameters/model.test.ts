import { readModel } from '../../../nodes/parameters/model';
import { MODELS } from '../../../nodes/service/documentedValues';
import { parameterContext } from '../../support/parameterContext';

const modelOf = (parameters: Record<string, unknown>) => readModel(parameterContext(parameters), 0);

describe("'Model'", () => {
	it.each(MODELS.map(({ id }) => id))('is sent as it is chosen: %s', (model) => {
		expect(modelOf({ model, customModel: 'ignored' })).toBe(model);
	});

	it.each([{}, { model: 'default' }])('is not sent for Service Default: %j', (parameters) => {
		expect(modelOf(parameters)).toBeUndefined();
	});

	it.each(MODELS.map(({ id }) => id))('is chosen in any case: %s', (model) => {
		expect(modelOf({ model: ` ${model.toUpperCase()} ` })).toBe(model);
	});

	it('is the custom one, without space around it', () => {
		expect(modelOf({ model: 'custom', customModel: ' next-model\n' })).toBe('next-model');
	});

	it.each<[Record<string, unknown>, string]>([
		[{ model: 'next-model' }, "'Model' has no option 'next-model'"],
		[{ model: '' }, "'Model' is empty"],
		[{ model: 'custom' }, "'Custom Model' is empty"],
		[{ model: 'custom', customModel: ' ' }, "'Custom Model' is empty"],
	])('rejects %j', (parameters, message) => {
		expect(() => modelOf(parameters)).toThrow(message);
	});
});
