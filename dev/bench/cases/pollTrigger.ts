import '../../engine/environment';

import { PollContext } from 'n8n-core';
import type { INode, INodeType } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { createAdditionalData, createWorkflow, type EngineParts } from '../../engine/engine';
import { loadBuilt, setScale } from './built';
import { engineParts } from './engineParts';
import { collectGarbage, spentOn } from './resources';

export interface PollTriggerOptions {
	url: string;
	scale: number;
	jobIds: string[];
	ticks: number;
}

const MINUTE_MS = 60_000;

/** Lets the trigger watch these jobs, a tick each minute; returns what the ticks cost in CPU, in ms. */
export async function pollTrigger({
	url,
	scale,
	jobIds,
	ticks,
}: PollTriggerOptions): Promise<number[]> {
	setScale(scale);
	const { BrowserAgentTrigger } = loadBuilt();
	const trigger = new BrowserAgentTrigger();
	const context = createContext(trigger, engineParts(url), jobIds);
	const tick = async () => {
		await trigger.poll?.call(context);
	};

	// The one of publishing, which loads what the others find loaded.
	await tick();
	const costs: number[] = [];
	for (let count = 0; count < ticks; count++) {
		await sleep(MINUTE_MS / scale);
		collectGarbage();
		costs.push((await spentOn(tick)).cpuMs);
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
