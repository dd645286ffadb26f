import { TOKENS } from './FuzzCase';

const CDP_PART = 'cdp-5ecret-0123456789';

/** What the tokens of secrets stand for. */
export const SECRETS: Record<string, string> = {
	[TOKENS.key]: 'key-5ecret-0123456789',
	[TOKENS.cdpUrl]: `wss://user:${CDP_PART}@browser.example.com/devtools/browser/${CDP_PART}?token=${CDP_PART}`,
	[TOKENS.cdpPart]: CDP_PART,
};

/** The secrets in a text, as tokens. */
export function secretsIn(text: string): string[] {
	const searched = text.toLowerCase();
	return [TOKENS.key, TOKENS.cdpPart].filter((token) => {
		return searched.includes((SECRETS[token] ?? '').toLowerCase());
	});
}

/** The same data with what the tokens stand for. */
export function fillTokens(value: unknown, tokens: Record<string, string>): unknown {
	if (typeof value === 'string') {
		const entries = Object.entries(tokens);
		return entries.reduce((text, [token, secret]) => text.replaceAll(token, secret), value);
	}
	if (Array.isArray(value)) return value.map((entry) => fillTokens(entry, tokens));
	if (typeof value !== 'object' || value === null) return value;
	const fields = Object.entries(value).map(([name, inner]) => [name, fillTokens(inner, tokens)]);
	return Object.fromEntries(fields);
}
