import { TOKENS } from './FuzzCase';

const CDP_PART = 'cdp-5ecret-0123456789';

/** What the tokens of secrets stand for in a case with this key. */
export function secretsOf(key: string): Record<string, string> {
	return {
		[TOKENS.key]: key,
		[TOKENS.keyStart]: key.slice(0, -4),
		[TOKENS.keyWord]: key.slice(0, key.search(/[^a-z0-9]/i)),
		[TOKENS.percentKey]: encodeURIComponent(key),
		[TOKENS.cdpUrl]: `https://user:${CDP_PART}@browser.example.com/session/${CDP_PART}?token=${CDP_PART}`,
		[TOKENS.cdpPart]: CDP_PART,
	};
}

/** The secrets in a text, as tokens. */
export function secretsIn(text: string, key: string): string[] {
	const secrets = secretsOf(key);
	return [TOKENS.key, TOKENS.percentKey, TOKENS.cdpPart].filter((token) =>
		text.includes(secrets[token] ?? ''),
	);
}

/** A text with what the tokens stand for. */
export function fillTokens(text: string, tokens: Record<string, string>): string {
	return Object.entries(tokens).reduce(
		(filled, [token, value]) => filled.replaceAll(token, () => value),
		text,
	);
}
