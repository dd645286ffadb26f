import { document } from '../document';
import type { EndpointName } from '../types';

interface EndpointMatch {
	endpoint: EndpointName | 'unknown';
	/** The job or workflow ID at the end of the path; empty if there is none. */
	id: string;
	/** The documented methods of the path, when the requested one is not among them. */
	allowedMethods?: string[];
}

type Methods = Map<string, EndpointName>;

const fixedPaths = new Map<string, Methods>();
/** Paths that end in an ID, by the part before it. */
const idPaths = new Map<string, Methods>();

for (const [path, item] of Object.entries(document.paths)) {
	const methods: Methods = new Map();
	for (const [method, { operationId }] of Object.entries(item)) {
		if (operationId) methods.set(method.toUpperCase(), operationId as EndpointName);
	}
	const [prefix = '', parameter] = path.split('{');
	(parameter === undefined ? fixedPaths : idPaths).set(prefix, methods);
}

/** Finds the documented operation that a request is for. */
export function matchEndpoint(method: string, path: string): EndpointMatch {
	const idStart = path.lastIndexOf('/') + 1;
	const fixed = fixedPaths.get(path);
	const id = fixed ? '' : decodeSegment(path.slice(idStart));
	const methods = fixed ?? (id === '' ? undefined : idPaths.get(path.slice(0, idStart)));
	if (!methods) return { endpoint: 'unknown', id: '' };
	const endpoint = methods.get(method);
	if (!endpoint) return { endpoint: 'unknown', id, allowedMethods: [...methods.keys()] };
	return { endpoint, id };
}

/** Returns an empty string when the percent-encoding is invalid. */
function decodeSegment(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return '';
	}
}
