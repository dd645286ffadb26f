import type { INodeExecutionData, IPollFunctions, Logger } from 'n8n-workflow';

import { NodeFailure } from '../errors/NodeFailure';
import { createSafeLogger } from '../errors/safeLogger';
import { factsOf, isTransient, kindOf, ServiceError } from '../errors/ServiceError';
import { toNodeError } from '../errors/toNodeError';
import { toNodeFailure } from '../errors/toNodeFailure';
import { toCheckedOutput, toJobItem } from '../jobs/item';
import { logFinished } from '../jobs/recordSeen';
import { hasFinalStatus, isFinished, reportedDurationMs, toSeconds } from '../jobs/status';
import { toParameterContext, valuesOf } from '../parameters/field';
import { OUTPUT_FORMAT_FIELDS, toOutputFormat } from '../parameters/outputFormat';
import { simplifyField } from '../parameters/simplify';
import { triggerOnField, type TriggerEvent } from '../parameters/triggerOn';
import type { PollMemory, Runtime } from '../runtime';
import { ClientFactory } from '../service/ClientFactory';
import type { ServiceClient } from '../service/ServiceClient';
import { readJobsToWatch } from './jobsToWatch';
import { SeenEvents } from './memory';
import {
	DEFAULT_BUDGET_MS,
	type PolledJob,
	firstForNextPoll,
	pollBudgetMs,
	pollEnd,
	pollJobs,
} from './pollJobs';

const MAX_JOBS_IN_TEST = 10;
const MAX_LIST_MS = 20_000;
// n8n stores an execution with the data of its poll well within this time.
const STORING_MS = 10_000;

/** What one poll of the trigger needs. */
interface TriggerPoll {
	context: IPollFunctions;
	/** Identifies the trigger node within this process. */
	triggerKey: string;
	runtime: Runtime;
	clients: ClientFactory;
	logger: Logger;
}

/**
 * Polls the jobs and returns an item for each new event, or null if there are none. A manual test
 * returns an item for each of the first ten jobs instead, and records nothing. If there is nothing
 * to return because of an error, throws n8n's error, with a cause that n8n's scheduler understands;
 * during an activation, returns null for a transient one. Returns null at once while another poll
 * of the node is running.
 */
export async function poll(
	context: IPollFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][] | null> {
	const isManual = context.getMode() === 'manual';
	const isActivating = !isManual && recordActivation(context, runtime);
	const clients = new ClientFactory(context, runtime);
	const redact = (text: string) => clients.redact(text);
	const { id: workflowId, name: workflowName } = context.getWorkflow();
	const { id: nodeId, name: nodeName } = context.getNode();
	const logger = createSafeLogger(context.logger, redact, { workflowId, workflowName, nodeName });
	// A workflow may have two nodes with the same ID, but not with the same name.
	const triggerKey = JSON.stringify([workflowId, nodeId, nodeName]);
	const current: TriggerPoll = { context, triggerKey, runtime, clients, logger };
	try {
		if (isManual) return [await showJobs(current)];
		return await runExclusively(triggerKey, runtime, async () => await emitEvents(current));
	} catch (error) {
		const cause = toNodeFailure(error).details.failure?.cause;
		const isTemporary = cause === 'rate-limited' || cause === 'temporarily-unavailable';
		if (isActivating && isTemporary) return null;
		throw toNodeError(error, { node: context.getNode(), redact, logger });
	}
}

/**
 * Remembers the context of a poll, and returns whether n8n polls in order to activate the workflow,
 * which an error would prevent. That is the first poll in a new context, and has the full time:
 * n8n's durable engine creates a new context for every poll, but gives the other polls less.
 */
function recordActivation(context: IPollFunctions, { knownPollContexts }: Runtime): boolean {
	const isFirst = !knownPollContexts.has(context);
	knownPollContexts.add(context);
	return isFirst && pollBudgetMs(context) >= DEFAULT_BUDGET_MS;
}

/**
 * Runs a poll of the trigger node with this key, or returns null if one is running already: two at
 * once would emit events twice. Rejects if `poll` does.
 */
async function runExclusively<T>(
	triggerKey: string,
	{ activePolls }: Runtime,
	poll: () => Promise<T>,
): Promise<T | null> {
	if (activePolls.has(triggerKey)) return null;
	activePolls.add(triggerKey);
	try {
		return await poll();
	} finally {
		activePolls.delete(triggerKey);
	}
}

async function emitEvents(current: TriggerPoll): Promise<INodeExecutionData[][] | null> {
	const { context, logger, triggerKey, runtime } = current;
	const seenEvents = new SeenEvents(context, runtime.clock);
	const memory = runtime.pollMemoryOf(triggerKey);
	if (isOutdated(seenEvents, memory, runtime)) return null;

	const { client, jobIds, limits, triggerOn, options } = await readJobs(current);

	const open = startingAt(memory.nextJobId, jobIds).filter((jobId) => !seenEvents.hasEnded(jobId));
	const isNew = (jobId: string, event?: TriggerEvent) =>
		event !== undefined && triggerOn.includes(event) && !seenEvents.isRecorded(jobId, event);
	const polled = await pollJobs(client, open, { ...limits, isWanted: isNew });
	logFailures(polled, logger);

	// Before the events of this poll are recorded.
	const hadEvents = jobIds.some((jobId) => seenEvents.hasEvents(jobId));
	const newEvents: PolledJob[] = [];
	for (const polledJob of polled) {
		const { jobId } = polledJob;
		const event = eventOf(polledJob, memory);
		if (isNew(jobId, event)) newEvents.push(polledJob);
		if (event !== undefined) seenEvents.record(jobId, event);
	}
	rememberPoll(memory, polled, jobIds);
	// If no job was seen now or earlier, nor has had an event, 'Base URL' may be wrong.
	if (!hadEvents && memory.seen.size === 0) throwIfAllAreUnknown(polled, jobIds);
	if (newEvents.length === 0) {
		seenEvents.save(jobIds);
		// With durable cursors, n8n delays the next poll after an error, and the jobs for which there
		// was no time would have to wait.
		if (!polled.some(({ kind }) => kind === 'noTime')) throwErrorOfAll(polled);
		return null;
	}
	const items = toEventItems(client, newEvents, runtime.clock.now(), options);
	// Saved only after the items were created: if that fails, the next poll still emits these events.
	const savedAt = seenEvents.save(jobIds);
	memory.lastEmission = { savedAt, at: runtime.clock.elapsed() };
	logEnds(client, newEvents, logger);
	return [items];
}

/**
 * Whether a poll has data from before the last emission. n8n's durable scheduler reads the data of
 * polls that are due at the same time before it runs the first of them. If n8n has not stored what
 * was emitted, a later poll emits it again.
 */
function isOutdated(
	{ savedAt }: SeenEvents,
	{ lastEmission }: PollMemory,
	{ clock }: Runtime,
): boolean {
	if (lastEmission === undefined || savedAt >= lastEmission.savedAt) return false;
	return clock.elapsed() - lastEmission.at < STORING_MS;
}

/** Returns the jobs in the order to poll them: from the first one on, then those before it. */
function startingAt(firstId: string | undefined, jobIds: string[]): string[] {
	const first = Math.max(0, jobIds.indexOf(firstId ?? ''));
	return [...jobIds.slice(first), ...jobIds.slice(0, first)];
}

/**
 * Returns the event that a poll has shown of a job, if any. A job that is not found counts as
 * `not_found` only if the last answer about it was the same. Polls without an answer don't matter.
 */
function eventOf(polled: PolledJob, { notFound }: PollMemory): TriggerEvent | undefined {
	if (polled.kind === 'seen') return polled.event;
	return polled.kind === 'notFound' && notFound.has(polled.jobId) ? 'not_found' : undefined;
}

function rememberPoll(memory: PollMemory, polled: PolledJob[], jobIds: string[]): void {
	const watched = new Set(jobIds);
	const stillWatched = (some: Set<string>) => [...some].filter((jobId) => watched.has(jobId));
	memory.notFound = new Set(stillWatched(memory.notFound));
	memory.seen = new Set(stillWatched(memory.seen));
	for (const { kind, jobId } of polled) {
		if (kind === 'notFound') memory.notFound.add(jobId);
		if (kind !== 'seen') continue;
		memory.notFound.delete(jobId);
		memory.seen.add(jobId);
	}
	memory.nextJobId = firstForNextPoll(polled)?.jobId;
}

/** Throws an error about 'Base URL' if two or more jobs are watched, and all are unknown. */
function throwIfAllAreUnknown(polled: PolledJob[], jobIds: string[]): void {
	const areAllUnknown =
		polled.length === jobIds.length && polled.every(({ kind }) => kind === 'notFound');
	if (jobIds.length < 2 || !areAllUnknown) return;
	throw new NodeFailure(`None of the ${jobIds.length} watched jobs was found at 'Base URL'`, {
		description:
			"Check 'Base URL' in the Browser Agent API credential, that the API key is from the account that started the jobs, and their IDs.",
		// They may have been started just now, so this must not keep a workflow from being published.
		failure: { cause: 'temporarily-unavailable' },
	});
}

async function showJobs(current: TriggerPoll): Promise<INodeExecutionData[]> {
	const { client, jobIds, limits, options } = await readJobs(current);
	if (jobIds.length === 0) {
		throw new NodeFailure('There are no jobs to watch yet', {
			description: 'Start a job, make sure that its ID is among the jobs to watch, and test again.',
		});
	}
	const shown = jobIds.slice(0, MAX_JOBS_IN_TEST);
	const polled = await pollJobs(client, shown, { ...limits, isWanted: () => true });
	logFailures(polled, current.logger);
	throwErrorOfAll(polled);
	if (polled.every(({ kind }) => kind === 'noCall')) {
		throw new ServiceError({ kind: 'queueTimeout' });
	}
	return toEventItems(client, polled, current.runtime.clock.now(), options);
}

async function readJobs({ context, triggerKey, runtime, clients }: TriggerPoll) {
	const { clock } = runtime;
	const endBy = pollEnd(context, clock);
	const limits = { clock, endBy, trigger: triggerKey };
	// First, since an error of a parameter that quotes the key is redacted only with a client.
	const client = await clients.clientFor(0);
	const triggerOn = triggerOnField.read(context.getNodeParameter('triggerOn'));
	const options = readItemOptions(context);
	const listTimeout = clock.timeout(Math.min(MAX_LIST_MS, endBy - clock.elapsed()));
	const jobIds = await readJobsToWatch(context, client, listTimeout);
	return { client, limits, jobIds, triggerOn, options };
}

function logFailures(polled: PolledJob[], logger: Logger): void {
	for (const polledJob of polled) {
		if (polledJob.kind !== 'failed') continue;
		const { jobId, error } = polledJob;
		const { message } = toNodeFailure(error);
		const { asked } = factsOf(error);
		const request = asked === undefined ? '' : `. Asked for: ${asked}`;
		logger.warn(
			`Browser Agent Trigger could not check the status of job ${jobId}: ${message}${request}`,
			{ jobId },
		);
	}
	if (polled.length > 0 && polled.every(({ kind }) => kind === 'noCall')) {
		logger.warn(
			"Browser Agent Trigger could not check any job: the account's rate limit is used up",
		);
	}
}

function logEnds({ redactor }: ServiceClient, polled: PolledJob[], logger: Logger): void {
	for (const polledJob of polled) {
		if (polledJob.kind !== 'seen' || !hasFinalStatus(polledJob.job)) continue;
		const { job } = polledJob;
		logFinished(logger, 'Browser Agent Trigger', redactor, job, reportedDurationMs(job));
	}
}

const ANSWERED: Array<PolledJob['kind']> = ['seen', 'notFound'];

// A job whose status can't be checked must not keep the others from being watched: after an error,
// n8n doesn't publish the workflow and, with durable cursors, may not poll it for half an hour. A
// rejected key is thrown anyway, since it concerns all jobs.
function throwErrorOfAll(polled: PolledJob[]): void {
	const failed = polled.filter((polledJob) => polledJob.kind === 'failed');
	const authFailure = failed.find(({ error }) => isRejectedKey(error));
	const passing = failed.find(({ error }) => isTransient(error) || isForeign(error));
	const isAnyKnown = polled.some(({ kind }) => ANSWERED.includes(kind));
	const otherFailure = isAnyKnown ? undefined : (passing ?? failed[0]);
	const failure = authFailure ?? otherFailure;
	if (failure === undefined) return;
	const error = toNodeFailure(failure.error, { jobId: failure.jobId });
	if (!isForeign(failure.error) || isTransient(failure.error)) throw error;
	throw error.with({ failure: { cause: 'temporarily-unavailable' } });
}

// A proxy's own 401 says nothing about the key.
function isRejectedKey(error: unknown): boolean {
	return kindOf(error) === 'unauthorized' && !isForeign(error);
}

/** Whether something in front of the service seems to have responded. Such errors often pass. */
function isForeign(error: unknown): boolean {
	const { statusCode, isFromService } = factsOf(error);
	return statusCode !== undefined && isFromService === false;
}

/** The fields for the form of the items. */
export const ITEM_FIELDS = { ...OUTPUT_FORMAT_FIELDS, simplify: simplifyField };

/** Reads the fields for the form of the items. Throws a `NodeFailure` that names the field. */
function readItemOptions(context: IPollFunctions) {
	const values = valuesOf(toParameterContext(context), 0, ITEM_FIELDS);
	return { simplify: values.simplify, ...toOutputFormat(values) };
}

/**
 * Returns an item for each job that the service returned or did not find, and none for others.
 * `detectedAt`: a timestamp in ms.
 */
function toEventItems(
	client: ServiceClient,
	polled: PolledJob[],
	detectedAt: number,
	options: ReturnType<typeof readItemOptions>,
): INodeExecutionData[] {
	const detected_at = new Date(detectedAt).toISOString();
	return polled.flatMap((polledJob): INodeExecutionData[] => {
		const { jobId: job_id } = polledJob;
		if (polledJob.kind === 'notFound') {
			return [{ json: { status: 'not_found', job_id, is_finished: false, detected_at } }];
		}
		if (polledJob.kind !== 'seen') return [];

		const { job } = polledJob;
		const checked = toCheckedOutput(job, options.outputSchema, client.redactor);
		const durationMs = isFinished(job) ? reportedDurationMs(job) : undefined;
		const durationSeconds = durationMs === undefined ? undefined : toSeconds(durationMs);
		return [{ json: { ...toJobItem(job, { ...options, checked, durationSeconds }), detected_at } }];
	});
}
