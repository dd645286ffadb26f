import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { IRun, IWorkflowBase } from 'n8n-workflow';

import { PACKAGE_NAME } from '../../nodes/package';
import { runCommandLine, say } from '../commandLine';
import { execute } from '../engine/engine';
import { loadPackage } from '../engine/loadPackage';
import { itemLines } from './itemLines';
import { type DemoService, startDemoService } from './startDemoService';

const ROOT = path.join(__dirname, '../..');

const NEXT = `
What to try next:
  npm run n8n       a full n8n instance in your browser, with all examples and the sandbox
  npm run sandbox   the sandbox alone, for your own n8n: see docs/sandbox.md
  npm run service   a real browser with your own model: see local-service/README.md
  README.md         how to install the package in your n8n`;

/**
 * `npm run demo`: runs the quick start, without n8n's own nodes, which this project does not
 * install.
 */
async function runDemo(): Promise<boolean> {
	const service = await startDemoService(process.env);
	say(service.description);

	try {
		const file = path.join(ROOT, 'examples/quick-start.json');
		const workflow = JSON.parse(readFileSync(file, 'utf8')) as IWorkflowBase;
		const { agent, trigger, credential } = await loadPackage(ROOT);
		const nodeTypes = {
			[`${PACKAGE_NAME}.browserAgent`]: agent,
			[`${PACKAGE_NAME}.browserAgentTrigger`]: trigger,
		};
		const data = { baseUrl: service.url, apiKey: service.apiKey };
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
				onNodeEnd: (name, data) => showNode(name, data, service),
			},
		).finished;

		const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
		const isSuccess = run.status === 'success';
		say(`\n${isSuccess ? 'Finished' : `Ended with status ${run.status}`} after ${seconds} s`);
		say(NEXT);
		return isSuccess;
	} finally {
		await service.close();
	}
}

function showNode(name: string, { resultData }: IRun['data'], service: DemoService): void {
	const task = resultData.runData[name]?.at(-1);
	if (task?.error) {
		say(`  ✗ ${name}: ${task.error.message}\n    ${task.error.description ?? ''}`);
		return;
	}
	const items = task?.data?.main?.[0] ?? [];
	say(
		`  ✓ ${name} (${task?.executionTime ?? 0} ms), ${items.length} ${items.length === 1 ? 'item' : 'items'}`,
	);
	for (const { json } of items) {
		for (const line of itemLines(json, service.url)) say(`      ${line}`);
	}
}

runCommandLine(runDemo);
