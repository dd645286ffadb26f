import { document } from '../document';
import type { EndpointName } from '../types';

export interface Match {
	endpoint: EndpointName | 'unknown';
	/** The job or workflow ID at the end of the path. */
	id: string;
	/** The methods the path has, when the one asked for is not among them. */
	allowed?: string[];
}

type Methods = Map<string, EndpointName>;

const fixedPaths = new Map<string, Methods>();
/** By what stands before the ID. */
const pathsWithId = new Map<string, Methods>();

for (const [path, item] of Object.entries(document.paths)) {
	const methods: Methods = new Map();
	for (const [method, { operationId }] of Object.entries(item)) {
		if (operationId) methods.set(method.toUpperCase(), operationId as EndpointName);
	}
	const [prefix = '', parameter] = path.split('{');
	(parameter === undefined ? fixedPaths : pathsWithId).set(prefix, methods);
}

/** Finds the operation of the document that a request is for. */
export function matchEndpoint(method: string, path: string): Match {
	const idStart = path.lastIndexOf('/') + 1;
	const fixed = fixedPaths.get(path);
	const id = fixed ? '' : decode(path.slice(idStart));
	const methods = fixed ?? (id === '' ? undefined : pathsWithId.get(path.slice(0, idStart)));
	if (!methods) return { endpoint: 'unknown', id: '' };
	const endpoint = methods.get(method);
	return endpoint ? { endpoint, id } : { endpoint: 'unknown', id, allowed: [...methods.keys()] };
}

/** Empty when the segment cannot be read. */
function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return '';
	}
}
