import { DEMO_ACCOUNTS } from './accounts';

const MIN_LENGTH_TO_SHOW_END = 16;
const CREDENTIAL_HEADERS = new Set(['authorization', 'proxy-authorization', 'x-api-key', 'cookie']);

const demoKeys = new Set(DEMO_ACCOUNTS.map(({ key }) => key));

/**
 * Returns a demo key as it is. Any other key may be a real one: of those, the result shows the last
 * four characters if the key is long, and otherwise nothing.
 */
export function maskApiKey(key: string): string {
	if (demoKeys.has(key)) return key;
	return key.length < MIN_LENGTH_TO_SHOW_END ? '[masked]' : `[masked]…${key.slice(-4)}`;
}

/** Masks the API key in the value of a request header; other headers stay as they are. */
export function maskHeader(name: string, value: string): string {
	if (!CREDENTIAL_HEADERS.has(name)) return value;
	const [scheme = ''] = /^(?:Bearer|Basic) +/i.exec(value) ?? [];
	return scheme + maskApiKey(value.slice(scheme.length));
}
