import '../engine/environment';

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ICredentialType, INodeType, IRun, IWorkflowBase } from 'n8n-workflow';

import { runCommandLine, say } from '../commandLine';
import { execute, type EngineParts } from '../engine/engine';
import { startSandbox } from '../sandbox/startSandbox';

const ROOT = path.join(__dirname, '../..');
const DEMO_JOB_SECONDS = 5;

/**
 * Runs the quick-start workflow against the sandbox, from its first to its last node of this package:
 * n8n's own are not among this project's packages. Returns whether every node succeeded.
 */
async function runDemo(): Promise<boolean> {
	const sandbox = await startSandbox({ defaultJobSeconds: DEMO_JOB_SECONDS });
	say(`The sandbox service listens on ${sandbox.url}`);

	try {
		const workflow = readJson('examples/quick-start.json') as IWorkflowBase;
		const { nodeTypes, credentials } = builtPackage(sandbox.url);
		const nodes = workflow.nodes.filter(({ type }) => type in nodeTypes);
		const last = nodes.at(-1)?.name ?? '';
		const connections = { ...workflow.connections, [last]: {} };
		say(`Running "${workflow.name}" on n8n's engine\n`);

		const startedAt = performance.now();
		const run = await execute(
			{ name: workflow.name, nodes, connections },
			{ nodeTypes, credentials },
			{
				mode: 'manual',
				startNode: nodes[0]?.name,
				onNodeStart: (name) => say(`  ▸ ${name} …`),
				onNodeEnd: (name, data) => showNode(name, data),
			},
		).finished;

		const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
		const isGood = run.status === 'success';
		say(`\n${isGood ? 'Finished' : `Ended as ${run.status}`} after ${seconds} s`);
		return isGood;
	} finally {
		await sandbox.close();
	}
}

// As n8n does: from the list in package.json, each class named as its file.
function builtPackage(baseUrl: string): EngineParts {
	const { name, n8n } = readJson('package.json') as {
		name: string;
		n8n: { nodes: string[]; credentials: string[] };
	};
	const nodes = n8n.nodes.map((file) => load(file) as INodeType);
	const credentials = n8n.credentials.map((file) => load(file) as ICredentialType);

	return {
		nodeTypes: Object.fromEntries(nodes.map((node) => [`${name}.${node.description.name}`, node])),
		credentials: Object.fromEntries(
			credentials.map((type) => [
				type.name,
				{ type, data: { baseUrl, apiKey: 'sandbox-pro-key' } },
			]),
		),
	};
}

function load(file: string): unknown {
	const className = path.basename(file).split('.')[0] ?? '';
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- what is built is found at run time
	const loaded = require(path.join(ROOT, file)) as Record<string, new () => unknown>;
	const Class = loaded[className];
	if (Class === undefined) throw new Error(`${file} has no class ${className}`);
	return new Class();
}

function showNode(name: string, { resultData }: IRun['data']): void {
	const task = resultData.runData[name]?.at(-1);
	if (task?.error) {
		say(`  ✗ ${name}: ${task.error.message}\n    ${task.error.description ?? ''}`);
		return;
	}
	const items = task?.data?.main?.[0] ?? [];
	say(`  ✓ ${name} (${task?.executionTime ?? 0} ms), ${items.length} item(s)`);
	for (const { json } of items) {
		for (const [field, value] of Object.entries(json)) {
			say(`      ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
		}
	}
}

function readJson(file: string): unknown {
	return JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
}

runCommandLine(runDemo);
