import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const EXAMPLES = path.join(__dirname, '../../examples');
const DEFAULT_N8N_URL = 'http://localhost:5678';

/** A workflow file, with the ID under which n8n stores it. */
export interface WorkflowFile {
	id: string;
	name: string;
	nodes: Array<{
		id: string;
		name: string;
		type: string;
		typeVersion: number;
		position: [number, number];
		parameters: Record<string, unknown>;
		credentials?: Record<string, { id: string; name: string }>;
		[setting: string]: unknown;
	}>;
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	[setting: string]: unknown;
}

/** A credential file, with the ID under which n8n stores it. */
export interface CredentialFile {
	id: string;
	name: string;
	type: string;
	data: Record<string, unknown>;
}

/** Every workflow of `examples/`; the ID is the file name. */
export function exampleWorkflows(): WorkflowFile[] {
	return readdirSync(EXAMPLES)
		.filter((file) => file.endsWith('.json'))
		.map((file) => ({
			...(JSON.parse(readFileSync(path.join(EXAMPLES, file), 'utf8')) as WorkflowFile),
			id: path.basename(file, '.json'),
		}));
}

/** The examples for an n8n with another address than the default one, which they contain. */
export function examplesFor(n8nUrl: string): WorkflowFile[] {
	const text = JSON.stringify(exampleWorkflows()).replaceAll(DEFAULT_N8N_URL, n8nUrl);
	return JSON.parse(text) as WorkflowFile[];
}

/** One of the examples, with changed settings or changed parameters of some nodes. */
export function example(
	name: string,
	settings: Partial<WorkflowFile> = {},
	parameters: Record<string, Record<string, unknown>> = {},
): WorkflowFile {
	const found = exampleWorkflows().find(({ id }) => id === name);
	if (found === undefined) throw new Error(`There is no example ${name}`);
	const nodes = found.nodes.map((node) => ({
		...node,
		parameters: { ...node.parameters, ...parameters[node.name] },
	}));
	return { ...found, nodes, ...settings };
}

/** The sandbox's key that the examples use. */
export const SANDBOX_KEY = 'sandbox-pro-key';

/** The credential that the examples use, for the service at this address. */
export function exampleCredential(baseUrl: string, apiKey = SANDBOX_KEY): CredentialFile {
	return {
		id: 'browserAgentApi',
		name: 'Browser Agent API',
		type: 'browserAgentApi',
		data: { baseUrl, apiKey },
	};
}
