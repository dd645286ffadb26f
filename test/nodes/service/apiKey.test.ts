import { checkApiKey, toApiKey } from '../../../nodes/service/apiKey';

const KEY = 'key-of-the-account-1234';

describe('toApiKey', () => {
	it.each<[string, string]>([
		['with space around it', ` \t${KEY}\r\n`],
		['with zero-width characters', `\u200b\ufeff${KEY}\u2060\u200d`],
		['in typographic quotes', `“${KEY}”`],
		['in French quotes', `« ${KEY} »`],
		['with one quote', `"${KEY}`],
		['with BEARER and several spaces', `BEARER   ${KEY}`],
		['with Bearer before quotes', `Bearer "${KEY}"`],
		['with the whole header in capitals', `AUTHORIZATION:BEARER ${KEY}`],
		['with the whole header in quotes', ` 'Authorization: Bearer ${KEY}' `],
		['with the header but no Bearer', `Authorization: ${KEY}`],
	])('reads a key %s', (_label, entered) => {
		expect(toApiKey(entered)).toBe(KEY);
	});

	it.each<[string, unknown]>([
		['undefined', undefined],
		['white space', ' \n'],
		['Bearer alone', 'Bearer '],
		['the header alone', 'Authorization: Bearer'],
	])('finds no key in %s', (_label, entered) => {
		expect(toApiKey(entered)).toBe('');
	});

	it.each([
		['begins like Bearer', 'bearer-1234'],
		['begins like the header', 'authorization-1234'],
		['has quotes inside', 'a"b\'c'],
		['has signs', 'sk_live+/=.~:'],
	])('keeps a key that %s', (_label, entered) => {
		expect(toApiKey(entered)).toBe(entered);
	});

	it('reads a number from an expression', () => {
		expect(toApiKey(1234567)).toBe('1234567');
	});
});

describe('checkApiKey', () => {
	it.each([
		['an empty key', '', "'API Key' is empty"],
		['a space', 'key 1', "'API Key' contains white space or control characters"],
		['a zero byte', 'key\u00001', "'API Key' contains white space or control characters"],
		['other letters', 'ключ', "'API Key' contains characters that an HTTP header can't contain"],
	])('throws for %s, without quoting the key', (_label, key, message) => {
		expect(() => checkApiKey(key)).toThrow(new Error(message));
	});

	it('accepts visible ASCII', () => {
		expect(() => checkApiKey('a!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~z')).not.toThrow();
	});
});
