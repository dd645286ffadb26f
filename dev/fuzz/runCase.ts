import './quietEngine';
import '../engine/environment';

import { ExecuteContext, PollContext, WorkflowHasIssuesError } from 'n8n-core';
import {
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRun,
	type Logger,
} from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { createAdditionalData, createWorkflow, execute, type EngineParts } from '../engine/engine';
import { VirtualClock } from '../engine/virtualClock';
import { TOKENS, type Arrivals, type FuzzCase } from './FuzzCase';
import type { LoadedNodes } from './loadNodes';
import { LoopMeter } from './LoopMeter';
import type { Network } from './network';
import { fillTokens, SECRETS } from './secrets';
import type { ServerProcess } from './ServerProcess';

/** Everything that a user, a log or the next node could see of a case. */
export interface Observation {
	/** What the node has put out, by poll of the trigger or by output of the action node. */
	outputs: INodeExecutionData[][];
	/** Of the run, or of each poll that has failed. */
	errors: unknown[];
	log: string[];
	hints: string[];
	highlighted: Record<string, string>;
	/** The trigger's static data. */
	staticData: IDataObject;
	arrivals: Arrivals;
	isStopped: boolean;
	/** Whether n8n has not run the node at all. */
	isRefused: boolean;
	/** Whether it has ended within the hard limit. */
	hasEnded: boolean;
	/** Whether a start may have been given up for taking too long. */
	hasStartTimedOut: boolean;
	blockedMs: number;
	unhandled: unknown[];
}

/** What cases are run with. */
export interface Bed {
	nodes: LoadedNodes;
	server: ServerProcess;
	network: Network;
	/** Addresses without a trailing slash. */
	service: string;
	fileHost: string;
}

const HARD_LIMIT_MS = 60_000;
const MAX_DRAIN_MS = 500;
const START_TIMEOUT_MS = 120_000;
const POLLS = 2;
// All others keep the tokens: what users enter as a width is shown to them.
const ADDRESSES = ['cdpUrl', 'jobListUrl'];
const NODE = 'Node';
const TYPE = 'fuzzed';

let caseCount = 0;

/** Runs a case on n8n-core, over HTTP, with time that passes only while nothing is on its way. */
export async function runCase(bed: Bed, fuzzCase: FuzzCase): Promise<Observation> {
	const id = `case${++caseCount}`;
	const tokens = {
		...SECRETS,
		[TOKENS.service]: `${bed.service}/${id}`,
		[TOKENS.fileHost]: `${bed.fileHost}/${id}`,
	};
	await bed.server.open({ id, script: fuzzCase.script, tokens });
	bed.network.reset();
	const clock = new CaseClock(undefined, () => bed.network.isBusy);
	const meter = new LoopMeter();
	const observation = emptyObservation();
	const onUnhandled = (reason: unknown) => void observation.unhandled.push(reason);
	process.on('unhandledRejection', onUnhandled);
	meter.start();
	try {
		const work = start(bed, fuzzCase, clock, observation, tokens);
		const limit = new AbortController();
		const tooLate = sleep(HARD_LIMIT_MS, false, { signal: limit.signal }).catch(() => false);
		observation.hasEnded = await Promise.race([work.then(() => true), tooLate]);
		limit.abort();
		await drain(bed.network);
	} finally {
		observation.blockedMs = meter.stop();
		observation.hasStartTimedOut = clock.hasStartTimedOut;
		clock.stop();
		observation.arrivals = await bed.server.close(id);
		process.off('unhandledRejection', onUnhandled);
	}
	return observation;
}

/** Also knows whether the time-out of a start is over. */
class CaseClock extends VirtualClock {
	hasStartTimedOut = false;

	override timeout(ms: number): AbortSignal {
		const signal = super.timeout(ms);
		if (ms === START_TIMEOUT_MS) {
			signal.addEventListener('abort', () => (this.hasStartTimedOut = true));
		}
		return signal;
	}
}

async function start(
	bed: Bed,
	fuzzCase: FuzzCase,
	clock: VirtualClock,
	observation: Observation,
	tokens: Record<string, string>,
): Promise<void> {
	const nodes = bed.nodes.create(clock);
	const parts = partsOf(bed, fuzzCase, nodes[fuzzCase.node], tokens);
	const node = nodeOf(fuzzCase, tokens);
	captureLog(observation.log);
	if (fuzzCase.node === 'agent') await runAgent(bed, fuzzCase, { node, parts }, observation);
	else await runTrigger(nodes.trigger, { node, parts }, observation);
}

interface Fuzzed {
	node: INode;
	parts: EngineParts;
}

async function runAgent(
	{ network }: Bed,
	{ input, stopAfterRequests }: FuzzCase,
	{ node, parts }: Fuzzed,
	observation: Observation,
): Promise<void> {
	const items = input.map((json, item) => ({ json, pairedItem: { item } }));
	try {
		const execution = execute({ nodes: [node], connections: {} }, parts, {
			input: items,
			startNode: NODE,
		});
		network.onRequest = () => {
			if (network.requests !== stopAfterRequests) return;
			observation.isStopped = true;
			execution.stop();
		};
		const run = await execution.finished;
		await drain(network);
		noteRun(run, observation);
	} catch (error) {
		// n8n doesn't run a node whose required parameters are empty.
		if (!(error instanceof WorkflowHasIssuesError)) throw error;
		observation.isRefused = true;
	}
}

function noteRun({ data }: IRun, observation: Observation): void {
	const { runData, error, metadata } = data.resultData;
	const tasks = runData[NODE] ?? [];
	const last = tasks.at(-1);
	observation.outputs = (last?.data?.main ?? []).map((items) => items ?? []);
	observation.errors = error === undefined ? [] : [error];
	observation.hints = tasks.flatMap(({ hints = [] }) => hints.map(({ message }) => message));
	observation.highlighted = metadata ?? {};
}

async function runTrigger(
	trigger: INodeType,
	{ node, parts }: Fuzzed,
	observation: Observation,
): Promise<void> {
	const workflow = createWorkflow({ nodes: [node], connections: {} }, parts);
	const context = new PollContext(workflow, node, createAdditionalData(parts), 'trigger', 'update');
	for (let count = 0; count < POLLS; count++) {
		try {
			const items = await trigger.poll?.call(context);
			observation.outputs.push(items?.[0] ?? []);
		} catch (error) {
			observation.errors.push(error);
		}
	}
	observation.staticData = workflow.getStaticData('node', node);
}

function partsOf(
	{ nodes }: Bed,
	{ address }: FuzzCase,
	type: INodeType,
	tokens: Record<string, string>,
): EngineParts {
	const service = tokens[TOKENS.service] ?? '';
	const baseUrls = {
		service,
		tls: service.replace('http:', 'https:'),
		closed: 'http://127.0.0.1:1',
	};
	const data = { baseUrl: baseUrls[address], apiKey: tokens[TOKENS.key] ?? '' };
	return {
		nodeTypes: { [TYPE]: type },
		credentials: { browserAgentApi: { type: nodes.credential, data } },
	};
}

function nodeOf({ parameters, settings }: FuzzCase, tokens: Record<string, string>): INode {
	return {
		id: NODE,
		name: NODE,
		type: TYPE,
		typeVersion: 1,
		position: [0, 0],
		parameters: Object.fromEntries(
			Object.entries(parameters).map(([name, value]) => {
				return [name, ADDRESSES.includes(name) ? fillTokens(value, tokens) : value];
			}),
		) as INodeParameters,
		credentials: { browserAgentApi: { id: '1', name: 'Browser Agent API' } },
		...settings,
	};
}

// What was started by a stopped execution is answered after its end.
async function drain(network: Network): Promise<void> {
	const end = performance.now() + MAX_DRAIN_MS;
	do await sleep(1);
	while (network.isUnderWay && performance.now() < end);
}

function captureLog(lines: string[]): void {
	const write = (line: string) => void lines.push(line);
	const logger: Logger = { debug: write, info: write, warn: write, error: write };
	for (const { prototype } of [ExecuteContext, PollContext]) {
		Object.defineProperty(prototype, 'logger', { configurable: true, get: () => logger });
	}
}

function emptyObservation(): Observation {
	return {
		outputs: [],
		errors: [],
		log: [],
		hints: [],
		highlighted: {},
		staticData: {},
		arrivals: { starts: [], requests: 0, leakedKeys: [] },
		isStopped: false,
		isRefused: false,
		hasEnded: false,
		hasStartTimedOut: false,
		blockedMs: 0,
		unhandled: [],
	};
}
