import type { Settings } from '../../../local-service/settings';
import {
	type Service,
	type ServiceOptions,
	startService,
} from '../../../local-service/startService';
import { serviceSettings } from './serviceSettings';

/** The answer of the service to one request. */
export interface ApiAnswer {
	status: number;
	headers: Headers;
	/** Parsed, if it is JSON. */
	json: Record<string, unknown>;
	text: string;
}

/** Calls the API as a client does. */
export async function callApi(
	{ url, apiKey }: Pick<Service, 'url' | 'apiKey'>,
	path: string,
	{ body, method = body === undefined ? 'GET' : 'POST' }: { body?: unknown; method?: string } = {},
): Promise<ApiAnswer> {
	const response = await fetch(`${url}${path}`, {
		method,
		headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const text = await response.text();
	const isJson = response.headers.get('content-type')?.includes('json');
	return {
		status: response.status,
		headers: response.headers,
		json: (isJson ? JSON.parse(text) : {}) as ApiAnswer['json'],
		text,
	};
}

/** Starts services in the tests of a file, on free ports and folders of their own. */
export function useServices() {
	const running = new Set<Service>();
	afterEach(async () => {
		await Promise.all([...running].map(async (service) => await service.close()));
		running.clear();
	});

	return {
		/** Starts one, which is closed after the test. */
		async start(changes: Partial<Settings> = {}, options: ServiceOptions = {}): Promise<Service> {
			const settings = serviceSettings({ port: 0, ...changes });
			const service = await startService(settings, {
				writeLog: () => {},
				rateLimits: 'off',
				...options,
			});
			running.add(service);
			return service;
		},
		/** Closes one before the end of the test. */
		async close(service: Service): Promise<void> {
			running.delete(service);
			await service.close();
		},
	};
}
