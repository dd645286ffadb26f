import {
	initialUrlField,
	MODEL_FIELDS,
	toModel,
} from '../../../../nodes/BrowserAgent/operations/agent';
import { MODELS } from '../../../../nodes/service/documentedValues';
import { valuesIn } from '../../../support/parameterContext';

const modelOf = (parameters: Record<string, unknown>) =>
	toModel(valuesIn(parameters, MODEL_FIELDS));

describe("'Model'", () => {
	it.each([{}, { model: 'default' }])('is not sent for Service Default: %j', (parameters) => {
		expect(modelOf(parameters)).toBeUndefined();
	});

	it.each(MODELS.map(({ id }) => id))('is sent as it is chosen, in any case: %s', (model) => {
		const chosen = { model: ` ${model.toUpperCase()} `, customModel: 'ignored' };

		expect(modelOf(chosen)).toBe(model);
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

describe("'Initial URL'", () => {
	it.each([
		['', ''],
		['HTTP://example.com', 'HTTP://example.com'],
		['https://[::1]:8080/', 'https://[::1]:8080/'],
		[' https://example.com ', 'https://example.com'],
	])('keeps %j as %j', (value, expected) => {
		expect(initialUrlField.read(value)).toBe(expected);
	});

	// What counts as a domain is tested with `toBaseUrl`.
	it.each([
		['example.com:8443/a', 'https://example.com:8443/a'],
		['localhost:8080/a?b#c', 'http://localhost:8080/a?b#c'],
		['10.0.0.7/a', 'http://10.0.0.7/a'],
	])('completes %s to %s', (value, expected) => {
		expect(initialUrlField.read(value)).toBe(expected);
	});

	it.each([
		'example',
		'https:///path',
		'https://exa mple.com',
		'https://example.com:99999',
		'ftp://example.com',
		'javascript:alert(1)',
		'example.com, example.org',
		'me@example.com',
		'12:30',
		'//example.com',
		{ url: 'https://example.com' },
	])('refuses %j', (value) => {
		expect(() => initialUrlField.read(value)).toThrow("'Initial URL' is not a valid URL");
	});

	it('says that a part of it comes from an object', () => {
		expect(() => initialUrlField.read('https://example.com/?q=[object Object]')).toThrow(
			expect.objectContaining({
				message: '\'Initial URL\' contains "[object Object]"',
				details: { description: expect.stringContaining('.toJsonString()') as string },
			}) as Error,
		);
	});
});
