import { DEMO_ACCOUNTS } from './accounts';

const CREDENTIAL_HEADERS = new Set(['authorization', 'proxy-authorization', 'x-api-key', 'cookie']);

const demoKeys = new Set(DEMO_ACCOUNTS.map(({ key }) => key));

/** Returns a demo key as it is, and nothing of any other one, which may be real. */
export function maskApiKey(key: string): string {
	return demoKeys.has(key) ? key : '[masked]';
}

/** Masks the API key in the value of a request header; other headers stay as they are. */
export function maskHeader(name: string, value: string): string {
	if (!CREDENTIAL_HEADERS.has(name)) return value;
	const [scheme = ''] = /^(?:Bearer|Basic) +/i.exec(value) ?? [];
	return scheme + maskApiKey(value.slice(scheme.length));
}
