import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IRun, IWorkflowBase } from 'n8n-workflow';

import { runCommandLine, say } from '../commandLine';
import { execute } from '../engine/engine';
import { loadPackage } from '../engine/loadPackage';
import { startSandbox } from '../sandbox/startSandbox';

const ROOT = path.join(__dirname, '../..');
const DEMO_JOB_SECONDS = 5;

// Without n8n's own nodes, which are not among this project's packages.
async function runDemo(): Promise<boolean> {
	const sandbox = await startSandbox({ defaultJobSeconds: DEMO_JOB_SECONDS });
	say(`The sandbox service listens on ${sandbox.url}`);

	try {
		const file = path.join(ROOT, 'examples/quick-start.json');
		const workflow = JSON.parse(readFileSync(file, 'utf8')) as IWorkflowBase;
		const { agent, trigger, credential } = await loadPackage(ROOT);
		const nodeTypes = {
			'n8n-nodes-browser-agent.browserAgent': agent,
			'n8n-nodes-browser-agent.browserAgentTrigger': trigger,
		};
		const data = { baseUrl: sandbox.url, apiKey: 'sandbox-pro-key' };
		const nodes = workflow.nodes.filter(({ type }) => type in nodeTypes);
		const last = nodes.at(-1)?.name ?? '';
		const connections = { ...workflow.connections, [last]: {} };
		say(`Running "${workflow.name}" on n8n's engine\n`);

		const startedAt = performance.now();
		const run = await execute(
			{ name: workflow.name, nodes, connections },
			{ nodeTypes, credentials: { browserAgentApi: { type: credential, data } } },
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

runCommandLine(runDemo);
