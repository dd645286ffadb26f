import {
	toHtmlLink,
	toPlainText,
	withFullStop,
	withoutMarkup,
} from '../../../nodes/errors/plainText';

describe('withoutMarkup', () => {
	it.each([
		['makes line breaks spaces', 'a\r\nb\n\nc', 'a b c'],
		['removes control characters', 'a\u0000b\u001b[31mc', 'a b [31mc'],
		['removes direction overrides', 'a\u202eb\u2066c', 'a b c'],
		['replaces lone surrogates', 'a\ud83d b\udc00c', 'a� b�c'],
		['keeps whole emoji', 'a🙂b', 'a🙂b'],
		['makes markup harmless', '<b>x</b>', '‹b›x‹/b›'],
	])('%s', (_label, text, plain) => {
		expect(withoutMarkup(text)).toBe(plain);
	});
});

describe('withFullStop', () => {
	it.each([
		['a word', 'Not today', 'Not today.'],
		['a quoted sentence', 'It says "Not today."', 'It says "Not today."'],
		['nothing', '', ''],
	])('ends a text after %s', (_label, text, ended) => {
		expect(withFullStop(text)).toBe(ended);
	});
});

describe('toPlainText', () => {
	it.each([
		['shows 500 characters whole', 'x'.repeat(500), undefined, 'x'.repeat(500)],
		['shows no half of an emoji', `${'x'.repeat(498)}🙂xx`, undefined, `${'x'.repeat(498)}…`],
		['shows as many characters as another limit allows', 'x'.repeat(81), 80, `${'x'.repeat(79)}…`],
		['does not read text behind twenty times the limit', `${' '.repeat(1_600)}x`, 80, ''],
		['reads text before twenty times the limit', `${' '.repeat(1_599)}x`, 80, 'x'],
	])('%s', (_label, text, maxCharacters, plain) => {
		expect(toPlainText(text, maxCharacters)).toBe(plain);
	});
});

describe('A link in the description of an error', () => {
	it('shows its whole address, encoded as an attribute only so that it can be copied', () => {
		const url = `http://localhost/?a=1&b="2"&c='3'`;

		expect(toHtmlLink(url)).toBe(
			`<a href="http://localhost/?a=1&amp;b=&quot;2&quot;&amp;c=&#39;3&#39;" target="_blank">${url}</a>`,
		);
	});

	it.each(['javascript:alert(1)', '//example.com', ''])('is plain text for %p', (url) => {
		expect(toHtmlLink(url)).toBe(url);
	});
});
