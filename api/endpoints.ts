import { document } from './document';

/** The operations of the OpenAPI document, and `file` for the download of a job file. */
export const ENDPOINT_NAMES = [
	'startAgent',
	'getJob',
	'pauseJob',
	'resumeJob',
	'getJobFiles',
	'runWorkflow',
	'getCreditBalance',
	'getHealth',
	'file',
] as const;

export type EndpointName = (typeof ENDPOINT_NAMES)[number];

interface EndpointMatch {
	endpoint: EndpointName | 'unknown';
	/** The job or workflow ID in the path; empty if there is none. */
	id: string;
	/** The documented methods of the path, when the requested one is not among them. */
	allowedMethods?: string[];
}

const paths = Object.entries(document.paths).map(([path, item]) => ({
	pattern: new RegExp(`^${path.replace(/{\w+}/, '([^/]+)')}$`),
	endpoints: new Map(
		Object.entries(item).map(([method, { operationId }]) => [method.toUpperCase(), operationId]),
	),
}));

const withBody = new Set(
	Object.values(document.paths)
		.flatMap((item) => Object.values(item))
		.filter(({ requestBody }) => requestBody !== undefined)
		.map(({ operationId }) => operationId),
);

/** Finds the documented operation that a request is for. */
export function matchEndpoint(method: string, path: string): EndpointMatch {
	for (const { pattern, endpoints } of paths) {
		const match = pattern.exec(path);
		const id = decodeSegment(match?.[1] ?? '');
		if (!match || id === undefined) continue;
		const endpoint = endpoints.get(method) as EndpointName | undefined;
		if (endpoint) return { endpoint, id };
		const allowedMethods = [...endpoints].filter(([, name]) => name).map(([name]) => name);
		return { endpoint: 'unknown', id, allowedMethods };
	}
	return { endpoint: 'unknown', id: '' };
}

/** Whether a request to this endpoint has a body in JSON. */
export function takesBody(endpoint: EndpointName | 'unknown'): boolean {
	return withBody.has(endpoint);
}

function decodeSegment(segment: string): string | undefined {
	try {
		return decodeURIComponent(segment);
	} catch {
		return undefined;
	}
}
