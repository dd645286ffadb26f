import '../engine/quietEngine';
import '../engine/environment';

import { ExecuteContext, PollContext } from 'n8n-core';
import type { INode, INodeType } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import type * as bundledNodes from '../engine/bundledNodes';
import { createNodes } from '../engine/createNodes';
import { createNode, createPollContext, execute, type EngineParts } from '../engine/engine';
import { loggerTo } from '../engine/loggerTo';
import { ProcessActivity } from '../engine/ProcessActivity';
import { SimulatedClock } from '../engine/SimulatedClock';
import { type Sandbox, startSandbox } from '../sandbox/startSandbox';
import { Account } from '../../api/Account';
import { INPUT, TOKENS, type FuzzCase } from './FuzzCase';
import { LoopMeter } from './LoopMeter';
import { Observation } from './Observation';
import { toRaw } from './rawReply';
import { fillTokens, secretsOf } from './secrets';

type Nodes = typeof bundledNodes;

const HARD_LIMIT_MS = 60_000;
const MAX_DRAIN_MS = 500;
const POLLS = 3;
const CREDITS = 1_000;
const NODE = 'Node';
const TYPE = 'fuzzed';

/**
 * Runs a case on n8n-core, over HTTP, with a sandbox of its own, so that late requests don't reach
 * the next case. Time passes only while nothing is on its way.
 */
export async function runCase(nodes: Nodes, fuzzCase: FuzzCase): Promise<Observation> {
	const activity = new ProcessActivity();
	activity.watch();
	const clock = new SimulatedClock(0, activity);
	const sandbox = await startSandbox({ clock });
	const tokens = prepare(sandbox, fuzzCase);
	const type = createNodes(nodes, { clock })[fuzzCase.node];
	const fuzzed = { node: nodeOf(fuzzCase, tokens), parts: partsOf(nodes, type, tokens) };
	const observation = new Observation();
	captureLog(observation.log);
	const onUnhandled = (reason: unknown) => void observation.unhandled.push(reason);
	process.on('unhandledRejection', onUnhandled);
	const meter = new LoopMeter();
	try {
		const work =
			fuzzCase.node === 'agent'
				? runAgent(activity, type, fuzzed, tokens, observation)
				: runTrigger(type, fuzzed, observation);
		const limit = new AbortController();
		const tooLate = sleep(HARD_LIMIT_MS, false, { signal: limit.signal }).catch(() => false);
		observation.hasEnded = await Promise.race([work.then(() => true), tooLate]);
		limit.abort();
		await drain(activity);
	} finally {
		observation.blockedMs = meter.stop();
		clock.stop();
		activity.unwatch();
		observation.requests = sandbox.state.requestLog.read({});
		await sandbox.close();
		process.off('unhandledRejection', onUnhandled);
	}
	return observation;
}

interface Fuzzed {
	node: INode;
	parts: EngineParts;
}

async function runAgent(
	activity: ProcessActivity,
	type: INodeType,
	{ node, parts }: Fuzzed,
	tokens: Record<string, string>,
	observation: Observation,
): Promise<void> {
	const input = fill(INPUT, tokens).map((json, item) => ({ json, pairedItem: { item } }));
	const endOfRuns = stopTimeBetweenRuns(type, activity);
	const { data } = await execute({ nodes: [node], connections: {} }, parts, { input }).finished;
	endOfRuns();
	await drain(activity);
	const { runData, error, metadata } = data.resultData;
	const tasks = runData[NODE] ?? [];
	observation.outputs = (tasks.at(-1)?.data?.main ?? []).map((items) => items ?? []);
	observation.errors = error === undefined ? [] : [error];
	observation.hints = tasks.flatMap(({ hints = [] }) => hints.map(({ message }) => message));
	observation.highlighted = metadata ?? {};
}

/**
 * Lets no time pass between the end of a run of the node and the start of the next one, for which
 * n8n waits in real time. Call the returned function when there are no more runs.
 */
function stopTimeBetweenRuns(type: INodeType, activity: ProcessActivity): () => void {
	const { execute } = type;
	let beginNext = () => {};
	type.execute = async function (response) {
		beginNext();
		try {
			return (await execute?.call(this, response)) ?? null;
		} finally {
			beginNext = activity.begin();
		}
	};
	return () => beginNext();
}

async function runTrigger(
	trigger: INodeType,
	{ node, parts }: Fuzzed,
	observation: Observation,
): Promise<void> {
	const context = createPollContext(node, parts);
	for (let count = 0; count < POLLS; count++) {
		try {
			const items = await trigger.poll?.call(context);
			observation.outputs.push(items?.[0] ?? []);
		} catch (error) {
			observation.errors.push(error);
		}
	}
	observation.staticData = context.getWorkflowStaticData('node');
}

function partsOf(nodes: Nodes, type: INodeType, tokens: Record<string, string>): EngineParts {
	const data = { baseUrl: tokens[TOKENS.service] ?? '', apiKey: tokens[TOKENS.key] ?? '' };
	return {
		nodeTypes: { [TYPE]: type },
		credentials: { browserAgentApi: { type: new nodes.BrowserAgentApi(), data } },
	};
}

function nodeOf({ parameters, settings }: FuzzCase, tokens: Record<string, string>): INode {
	return createNode(NODE, TYPE, { parameters: fill(parameters, tokens), ...settings });
}

/**
 * Gives the sandbox its account, jobs and faults, and returns what the tokens stand for. All bytes
 * are made now, so that it takes no time while the nodes are measured.
 */
function prepare({ state, url, filesUrl }: Sandbox, { key, jobs, faults }: FuzzCase) {
	const account = new Account({ key, plan: 'pro', credits: CREDITS }, state.clock.now());
	state.accounts.set(key, account);
	const secrets = secretsOf(key);
	const hosts = { ...secrets, [TOKENS.service]: url, [TOKENS.fileHost]: filesUrl };

	state.scripts.add(fill(jobs, hosts));
	const [firstJob, secondJob] = [1, 2].map(
		() => state.startGivenJob(account, state.scripts.take()).id,
	);
	const tokens = {
		...hosts,
		[TOKENS.firstJob]: String(firstJob),
		[TOKENS.secondJob]: String(secondJob),
	};
	for (const fault of faults) {
		if ('reply' in fault) {
			const { reply, ...more } = fault;
			const raw = toRaw(reply, (text) => fillTokens(text, tokens));
			state.faults.add({ ...more, kind: 'raw', raw });
		} else {
			state.faults.add(fill(fault, tokens));
		}
	}
	return tokens;
}

function fill<T>(value: T, tokens: Record<string, string>): T {
	return JSON.parse(fillTokens(JSON.stringify(value), tokens)) as T;
}

// Requests that a failed execution has left open are answered after its end.
async function drain(activity: ProcessActivity): Promise<void> {
	const end = performance.now() + MAX_DRAIN_MS;
	do await sleep(1);
	while (activity.requests > 0 && performance.now() < end);
}

function captureLog(lines: string[]): void {
	const logger = loggerTo((line) => lines.push(line));
	for (const { prototype } of [ExecuteContext, PollContext]) {
		Object.defineProperty(prototype, 'logger', { configurable: true, get: () => logger });
	}
}
