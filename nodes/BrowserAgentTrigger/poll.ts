import type { INodeExecutionData, IPollFunctions, Logger } from 'n8n-workflow';

import { ServiceError } from '../errors/ServiceError';
import { createSafeLogger } from '../errors/safeLogger';
import { toNodeError, toUserError } from '../errors/toNodeError';
import { UserError } from '../errors/UserError';
import { TRIGGER_EVENTS, triggerOnField, type TriggerEvent } from '../parameters/triggerOn';
import type { Runtime } from '../runtime';
import { Connector } from '../service/connect';
import { EmittedEvents } from './emittedEvents';
import { readEventOptions, toEventItem } from './jobEventItem';
import { readJobList } from './jobList';
import { isActivation, pollDeadline, runExclusively } from './pollBudget';
import { pollJobs, type PollResult } from './pollJobs';

const MAX_JOBS_IN_TEST = 10;
const MAX_LIST_MS = 20_000;

/** What the steps of a poll share. */
interface PollRun {
	context: IPollFunctions;
	runtime: Runtime;
	connector: Connector;
	logger: Logger;
}

/**
 * One poll: returns an item for each event that has not been emitted yet, or null if there is none. A
 * manual test shows the jobs as they are and remembers nothing.
 * Throws if an error leaves nothing to say about any job, in words that n8n's scheduler can read, too;
 * a transient error does not keep a workflow from being published.
 */
export async function poll(
	context: IPollFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][] | null> {
	const isManual = context.getMode() === 'manual';
	const isActivating = !isManual && isActivation(context, runtime);
	const connector = new Connector(context, runtime);
	const redact = (text: string) => connector.redact(text);
	const run = { context, runtime, connector, logger: createSafeLogger(context.logger, redact) };
	try {
		if (isManual) return [await showJobs(run)];
		return await runExclusively(context, runtime, async () => await emitEvents(run, isActivating));
	} catch (error) {
		const cause = toUserError(error).details.failure?.cause;
		const isTransient = cause === 'rate-limited' || cause === 'temporarily-unavailable';
		if (isActivating && isTransient) return null;
		throw toNodeError(error, { node: context.getNode(), redact });
	}
}

async function emitEvents(
	run: PollRun,
	isActivating: boolean,
): Promise<INodeExecutionData[][] | null> {
	const { context, logger } = run;
	const triggerOn = triggerOnField.read(context.getNodeParameter('triggerOn'));
	const options = readEventOptions(context);
	const { client, jobIds, limits } = await readJobs(run);
	// Later it may be empty because all jobs have ended.
	if (isActivating && jobIds.length === 0) {
		logger.warn('Browser Agent Trigger has no jobs to watch: the list of job IDs is empty');
	}
	const emitted = new EmittedEvents(context.getWorkflowStaticData('node'));

	const open = emitted.inOrder(jobIds).filter((jobId) => !emitted.isDone(jobId, triggerOn));
	const { results, firstLeft, isOutOfTime } = await pollJobs(client, open, limits);
	emitted.continueAt(firstLeft);
	if (open.length > 0 && results.length === 0) {
		logger.warn(
			"Browser Agent Trigger could not check any job: the account's rate limit is used up",
		);
	}
	const newEvents = results.filter((result) => isNewEvent(result, emitted, triggerOn));

	logErrors(results, logger);
	if (newEvents.length === 0) {
		emitted.save(jobIds);
		// A throw would lose where the next poll begins, in n8n's durable engine.
		if (!isOutOfTime) throwErrorOfAll(results);
		return null;
	}
	const items: INodeExecutionData[] = [];
	for (const result of newEvents) {
		if ('error' in result) continue;
		items.push(await toEventItem(context, client, result, options, limits));
	}
	// Last: whatever goes wrong before, the next poll emits the same events again.
	emitted.save(jobIds);
	return [items];
}

async function showJobs(run: PollRun): Promise<INodeExecutionData[]> {
	const { context, logger } = run;
	const options = readEventOptions(context);
	const { client, jobIds, limits } = await readJobs(run);
	if (jobIds.length === 0) {
		throw new UserError('There are no jobs to watch yet', {
			description: 'Start a job, make sure that its ID is among the jobs to watch, and test again.',
		});
	}
	const { results } = await pollJobs(client, jobIds.slice(0, MAX_JOBS_IN_TEST), limits);
	if (results.length === 0) throw new ServiceError({ kind: 'queueTimeout' });
	logErrors(results, logger);
	throwErrorOfAll(results);
	const items: INodeExecutionData[] = [];
	for (const result of results) {
		if ('error' in result) continue;
		items.push(await toEventItem(context, client, result, options, limits));
	}
	return items;
}

async function readJobs({ context, runtime, connector }: PollRun) {
	const { clock } = runtime;
	const limits = { clock, deadline: pollDeadline(context, runtime) };
	const client = await connector.clientFor(0);
	const listTimeout = clock.timeout(Math.min(MAX_LIST_MS, limits.deadline - clock.now()));
	return { client, limits, jobIds: await readJobList(context, client, listTimeout) };
}

// Also remembers what the result has brought.
function isNewEvent(
	result: PollResult,
	emitted: EmittedEvents,
	triggerOn: TriggerEvent[],
): boolean {
	if ('error' in result) return false;
	const { jobId, job } = result;
	const event = job === undefined ? 'not_found' : TRIGGER_EVENTS.find((one) => one === job.status);
	if (event === undefined) return false;
	const isNew = triggerOn.includes(event) && !emitted.isEmitted(jobId, event);
	emitted.note(jobId, event, isNew || triggerOn.includes(event));
	return isNew;
}

function logErrors(results: PollResult[], logger: Logger): void {
	for (const result of results) {
		if (!('error' in result)) continue;
		const { message } = toUserError(result.error, { jobId: result.jobId });
		logger.warn(
			`Browser Agent Trigger could not check the status of job ${result.jobId}: ${message}`,
		);
	}
}

// A job whose status can't be checked must not keep the others from being watched: n8n would not
// publish the workflow, or would not poll it for half an hour. A rejected key concerns all of them.
function throwErrorOfAll(results: PollResult[]): void {
	const failed = results.flatMap((result) => ('error' in result ? [result] : []));
	const find = (isMeant: (error: ServiceError) => boolean) =>
		failed.find(({ error }) => error instanceof ServiceError && isMeant(error));
	const aboutKey = find(({ kind }) => kind === 'unauthorized');
	const ofAll = find(({ isTransient }) => isTransient) ?? failed[0];
	const thrown = aboutKey ?? (failed.length === results.length ? ofAll : undefined);
	if (thrown !== undefined) throw toUserError(thrown.error, { jobId: thrown.jobId });
}
