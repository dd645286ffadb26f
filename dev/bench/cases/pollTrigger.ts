import '../../engine/environment';

import { PollContext } from 'n8n-core';
import type { INode, INodeType } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { createAdditionalData, createWorkflow, type EngineParts } from '../../engine/engine';
import { engineParts } from './engineParts';
import { loadNodes } from './loadNodes';
import { collectGarbage, spentOn } from './resources';

export interface PollTriggerOptions {
	url: string;
	scale: number;
	jobIds: string[];
	times: number;
}

const MINUTE_MS = 60_000;

/** Polls the trigger for these jobs once a minute; returns the CPU time of each poll, in ms. */
export async function pollTrigger({
	url,
	scale,
	jobIds,
	times,
}: PollTriggerOptions): Promise<number[]> {
	const { trigger } = loadNodes({ scale });
	const context = createContext(trigger, engineParts(url), jobIds);
	const poll = async () => {
		await trigger.poll?.call(context);
	};

	// Publishing polls once, which compiles the code.
	await poll();
	const costs: number[] = [];
	for (let count = 0; count < times; count++) {
		await sleep(MINUTE_MS / scale);
		collectGarbage();
		costs.push((await spentOn(poll)).cpuMs);
	}
	return costs;
}

function createContext(trigger: INodeType, parts: EngineParts, jobIds: string[]): PollContext {
	const node: INode = {
		id: 'trigger',
		name: 'Trigger',
		type: 'trigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: { jobSource: 'ids', jobIds: jobIds.join(','), triggerOn: ['completed', 'failed'] },
		credentials: { browserAgentApi: { id: 'browserAgentApi', name: 'browserAgentApi' } },
	};
	const withTrigger = { ...parts, nodeTypes: { ...parts.nodeTypes, trigger } };
	const workflow = createWorkflow({ nodes: [node], connections: {} }, withTrigger);
	return new PollContext(workflow, node, createAdditionalData(withTrigger), 'trigger', 'update');
}
