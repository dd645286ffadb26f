import { document } from './document';
import type { EndpointName } from '../dev/sandbox/types';

interface EndpointMatch {
	endpoint: EndpointName | 'unknown';
	/** The job or workflow ID at the end of the path; empty if there is none. */
	id: string;
	/** The documented methods of the path, when the requested one is not among them. */
	allowedMethods?: string[];
}

const paths = Object.entries(document.paths).map(([path, item]) => ({
	pattern: new RegExp(`^${path.replace(/{\w+}$/, '([^/]+)')}$`),
	endpoints: new Map(
		Object.entries(item).map(([method, { operationId }]) => [method.toUpperCase(), operationId]),
	),
}));

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

function decodeSegment(segment: string): string | undefined {
	try {
		return decodeURIComponent(segment);
	} catch {
		return undefined;
	}
}
