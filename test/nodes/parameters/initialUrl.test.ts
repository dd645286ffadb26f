import { initialUrlField } from '../../../nodes/parameters/initialUrl';

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
