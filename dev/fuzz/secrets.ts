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
	return [TOKENS.key, TOKENS.cdpPart].filter((token) => searched.includes(SECRETS[token] ?? ''));
}

/** A text with what the tokens stand for. */
export function fillTokens(text: string, tokens: Record<string, string>): string {
	return Object.entries(tokens).reduce(
		(filled, [token, value]) => filled.replaceAll(token, value),
		text,
	);
}
