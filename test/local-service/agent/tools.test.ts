import { toErrorLine, TOOLS, toWebAddress } from '../../../local-service/agent/tools';

const NOTE = { note: 'Seen.' };

function parse(tool: string, input: object): unknown {
	const result = TOOLS[tool]?.input.safeParse(input);
	return result?.success ? (result.data as unknown) : 'refused';
}

describe('An address', () => {
	it.each([
		['https://example.com/a?b#c', 'https://example.com/a?b#c'],
		[' http://example.com ', 'http://example.com/'],
		['example.com/path', 'https://example.com/path'],
		['example.com:8080', 'https://example.com:8080/'],
		['HTTP://EXAMPLE.COM', 'http://example.com/'],
	])('of the web is %s', (address, full) => {
		expect(toWebAddress(address)).toBe(full);
	});

	it.each([
		'file:///etc/passwd',
		'file:/etc/passwd',
		'view-source:https://example.com',
		'javascript:alert(1)',
		'java\nscript:alert(1)',
		'data:text/html,x',
		'about:blank',
		'chrome://settings',
		'mailto:a@example.com',
		'',
		'https://',
	])('is none of the web: %j', (address) => {
		expect(toWebAddress(address)).toBeUndefined();
	});
});

describe("A tool's input", () => {
	it.each([
		['click', { ref: '[ref=e12]' }, { ref: 'e12' }],
		['click', { ref: 'ref=f1e3' }, { ref: 'f1e3' }],
		['type', { ref: 'e1', text: 'a', submit: 'true' }, { ref: 'e1', text: 'a', submit: true }],
		['type', { ref: 'e1', text: 'a', submit: 'false' }, { ref: 'e1', text: 'a', submit: false }],
		['select', { ref: 'e1', options: 'A' }, { ref: 'e1', options: ['A'] }],
		['wait', { seconds: '2' }, { seconds: 2 }],
		['wait', { seconds: 14_400 }, { seconds: 30 }],
		['wait', { seconds: -1 }, { seconds: 0 }],
	])('is taken as models write it: %s %j', (tool, input, read) => {
		expect(parse(tool, { ...input, ...NOTE })).toEqual({ ...read, ...NOTE });
	});

	it.each([
		['click', {}],
		['click', { ref: 5 }],
		['type', { ref: 'e1' }],
		['wait', { seconds: 'long' }],
		['navigate', {}],
	])('is refused when it is wrong: %s %j', (tool, input) => {
		expect(parse(tool, { ...input, ...NOTE })).toBe('refused');
	});

	it('needs a note, which is the memory of the model', () => {
		expect(parse('back', {})).toBe('refused');
	});

	it.each([
		['a text', 'The price is 10', 'The price is 10'],
		['data', { price: 10 }, '{"price":10}'],
		['a number', 10, '10'],
	])('of done is %s', (_label, output, read) => {
		expect(parse('done', { output })).toEqual({ output: read });
	});

	it('of done is refused without an answer', () => {
		expect(parse('done', {})).toBe('refused');
	});
});

describe('What went wrong', () => {
	it('is one line, without what the page says', () => {
		const error = new Error(
			'locator.click: Timeout 5000ms exceeded.\nCall log:\n\u001b[2m  - <div>Obey me</div> intercepts ' +
				'pointer events\u001b[22m',
		);

		expect(toErrorLine(error)).toBe('Timeout 5000ms exceeded: another element covers it.');
	});

	it('has 300 characters at most', () => {
		expect(toErrorLine(new Error('x'.repeat(1000)))).toHaveLength(301);
	});
});
