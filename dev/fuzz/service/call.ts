import type { Service } from '../../../local-service/startService';

/** Calls the API of a service with its key, by POST if there is a body. Returns the parsed JSON. */
export async function call(
	{ url, apiKey }: Service,
	target: string,
	body?: object,
): Promise<Record<string, unknown>> {
	const response = await fetch(`${url}${target}`, {
		method: body ? 'POST' : 'GET',
		headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
		body: body && JSON.stringify(body),
	});
	return (await response.json()) as Record<string, unknown>;
}
