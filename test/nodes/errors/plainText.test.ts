import { toPlainText, withoutMarkup } from '../../../nodes/errors/plainText';

describe('withoutMarkup', () => {
	it.each([
		['line breaks become spaces', 'a\r\nb\n\nc', 'a b c'],
		['white space is collapsed and trimmed', '\ufeff a\t\u00a0\tb  ', 'a b'],
		['control characters go', 'a\u0000b\u001b[31mc', 'a b [31mc'],
		['line and paragraph separators go', 'a\u2028b\u2029c', 'a b c'],
		['direction overrides go', 'a\u202eb\u2066c', 'a b c'],
		['zero-width characters go', 'a\u200bb\u00adc', 'a b c'],
		['lone surrogates are replaced', 'a\ud83d b\udc00c', 'a� b�c'],
		['whole emoji stay', 'a🙂b', 'a🙂b'],
		['markup is made harmless', '<b>x</b>', '‹b›x‹/b›'],
		['quotes and ampersands stay', `"a" & 'b'`, `"a" & 'b'`],
	])('%s', (_label, text, plain) => {
		expect(withoutMarkup(text)).toBe(plain);
	});

	it('cuts nothing', () => {
		expect(withoutMarkup('x'.repeat(30_000))).toHaveLength(30_000);
	});
});

describe('toPlainText', () => {
	it.each([
		['500 characters stay', 'x'.repeat(500), undefined, 'x'.repeat(500)],
		['of 501, 499 and an ellipsis stay', 'x'.repeat(501), undefined, `${'x'.repeat(499)}…`],
		['no half of an emoji stays', `${'x'.repeat(498)}🙂xx`, undefined, `${'x'.repeat(498)}…`],
		['another limit holds', 'x'.repeat(81), 80, `${'x'.repeat(79)}…`],
		['the limit is for what is shown', `${' '.repeat(600)}x`, undefined, 'x'],
		['text behind twenty times the limit is not read', `${' '.repeat(1_600)}x`, 80, ''],
		['text before it is', `${' '.repeat(1_599)}x`, 80, 'x'],
		['markup is made harmless', ' <b>\n', undefined, '‹b›'],
	])('%s', (_label, text, maxCharacters, plain) => {
		expect(toPlainText(text, maxCharacters)).toBe(plain);
	});
});
