import { initialUrlField, readModel } from '../../../../nodes/BrowserAgent/operations/agent';
import { MODELS } from '../../../../nodes/service/documentedValues';
import { parameterContext } from '../../../support/parameterContext';

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

describe("'Initial URL'", () => {
	it.each([
		['', ''],
		['  ', ''],
		['https://www.example.com/a?b=c#d', 'https://www.example.com/a?b=c#d'],
		['HTTP://example.com', 'HTTP://example.com'],
		['http://localhost:3000', 'http://localhost:3000'],
		['https://[::1]:8080/', 'https://[::1]:8080/'],
		['https://user:secret@example.com', 'https://user:secret@example.com'],
		[' https://example.com ', 'https://example.com'],
	])('keeps %j as %j', (value, expected) => {
		expect(initialUrlField.read(value)).toBe(expected);
	});

	it.each([
		['example.com', 'https://example.com'],
		['www.example.co.uk/path?q=1', 'https://www.example.co.uk/path?q=1'],
		['example.com:8443/a', 'https://example.com:8443/a'],
		['localhost:3000', 'https://localhost:3000'],
		['bücher.example', 'https://bücher.example'],
		['example.com?next=https://other.example', 'https://example.com?next=https://other.example'],
	])('completes %j to %j', (value, expected) => {
		expect(initialUrlField.read(value)).toBe(expected);
	});

	it.each([
		'example',
		'10.0.0.7/admin',
		'[::1]:8080',
		'just some words',
		'https://',
		'https:///path',
		'https://exa mple.com',
		'http://:80',
		'https://example.com:99999',
		'ftp://example.com',
		'file:///etc/passwd',
		'javascript:alert(1)',
		'about:blank',
		'chrome://settings',
		'data:text/html,hello',
		'mailto:someone@example.com',
		'example.com, example.org',
		'/path/only',
		'//example.com',
		{ url: 'https://example.com' },
		7,
	])('refuses %j', (value) => {
		expect(() => initialUrlField.read(value)).toThrow("'Initial URL' is not a valid URL");
	});

	it.each(['[object Object]', 'https://example.com/?q=[object Object]', '[object Object].com'])(
		'says that %j comes from an object',
		(value) => {
			expect(() => initialUrlField.read(value)).toThrow(
				expect.objectContaining({
					message: '\'Initial URL\' contains "[object Object]"',
					details: { description: expect.stringContaining('.toJsonString()') as string },
				}) as Error,
			);
		},
	);
});
