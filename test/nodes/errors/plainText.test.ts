import {
	toHtmlLink,
	toPlainText,
	withFullStop,
	withoutMarkup,
} from '../../../nodes/errors/plainText';

describe('withoutMarkup', () => {
	it.each([
		['makes line breaks spaces', 'a\r\nb\n\nc', 'a b c'],
		['collapses and trims white space', '\ufeff a\t\u00a0\tb  ', 'a b'],
		['removes control characters', 'a\u0000b\u001b[31mc', 'a b [31mc'],
		['makes line and paragraph separators spaces', 'a\u2028b\u2029c', 'a b c'],
		['removes direction overrides', 'a\u202eb\u2066c', 'a b c'],
		['removes zero-width characters', 'a\u200bb\u00adc', 'a b c'],
		['replaces lone surrogates', 'a\ud83d b\udc00c', 'a� b�c'],
		['keeps whole emoji', 'a🙂b', 'a🙂b'],
		['makes markup harmless', '<b>x</b>', '‹b›x‹/b›'],
		['keeps quotes and ampersands', `"a" & 'b'`, `"a" & 'b'`],
	])('%s', (_label, text, plain) => {
		expect(withoutMarkup(text)).toBe(plain);
	});

	it('cuts nothing', () => {
		expect(withoutMarkup('x'.repeat(30_000))).toHaveLength(30_000);
	});
});

describe('withFullStop', () => {
	it.each([
		['a word', 'Not today', 'Not today.'],
		['a full stop', 'Not today.', 'Not today.'],
		['a quoted sentence', 'It says "Not today."', 'It says "Not today."'],
		['an ellipsis', 'Not tod…', 'Not tod…'],
		['nothing', '', ''],
	])('ends a text after %s', (_label, text, ended) => {
		expect(withFullStop(text)).toBe(ended);
	});
});

describe('toPlainText', () => {
	it.each([
		['shows 500 characters whole', 'x'.repeat(500), undefined, 'x'.repeat(500)],
		[
			'shows 499 of 501 characters, and an ellipsis',
			'x'.repeat(501),
			undefined,
			`${'x'.repeat(499)}…`,
		],
		['shows no half of an emoji', `${'x'.repeat(498)}🙂xx`, undefined, `${'x'.repeat(498)}…`],
		['shows as many characters as another limit allows', 'x'.repeat(81), 80, `${'x'.repeat(79)}…`],
		['counts only characters that are shown', `${' '.repeat(600)}x`, undefined, 'x'],
		['does not read text behind twenty times the limit', `${' '.repeat(1_600)}x`, 80, ''],
		['reads text before twenty times the limit', `${' '.repeat(1_599)}x`, 80, 'x'],
		['makes markup harmless', ' <b>\n', undefined, '‹b›'],
	])('%s', (_label, text, maxCharacters, plain) => {
		expect(toPlainText(text, maxCharacters)).toBe(plain);
	});
});

describe('A link in the description of an error', () => {
	it('opens in a new tab, and shows its whole address', () => {
		expect(toHtmlLink('https://app.example.com/jobs/1')).toBe(
			'<a href="https://app.example.com/jobs/1" target="_blank">https://app.example.com/jobs/1</a>',
		);
	});

	it('has its address encoded as an attribute only, so that it can be copied from the text', () => {
		const url = `http://localhost/?a=1&b="2"&c='3'`;

		expect(toHtmlLink(url)).toBe(
			`<a href="http://localhost/?a=1&amp;b=&quot;2&quot;&amp;c=&#39;3&#39;" target="_blank">${url}</a>`,
		);
	});

	it.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://example.com/', '//example.com', ''])(
		'is plain text for %p',
		(url) => {
			expect(toHtmlLink(url)).toBe(url);
		},
	);
});
