import type { INodeExecutionData, IPollFunctions, Logger } from 'n8n-workflow';

import { limitConcurrency } from '../async/limitConcurrency';
import { kindOf, ServiceError } from '../errors/ServiceError';
import { createSafeLogger } from '../errors/safeLogger';
import { toNodeError, toUserError } from '../errors/toNodeError';
import { UserError } from '../errors/UserError';
import { triggerOnField, type TriggerEvent } from '../parameters/triggerOn';
import type { Runtime } from '../runtime';
import { ClientFactory } from '../service/connect';
import { EmittedEvents } from './emittedEvents';
import { readEventOptions, toEventItem } from './jobEventItem';
import { readJobList } from './jobList';
import { isActivation, pollDeadline, runExclusively, triggerName } from './pollBudget';
import { pollJobs, type PolledJob } from './pollJobs';

const MAX_JOBS_IN_TEST = 10;
const MAX_LIST_MS = 20_000;

interface PollRun {
	context: IPollFunctions;
	runtime: Runtime;
	clients: ClientFactory;
	logger: Logger;
}

/**
 * Returns an item for each new event, or null; a manual test shows the jobs and remembers nothing. Throws if an
 * error leaves nothing to report, with a cause that n8n's scheduler understands, but no transient error at
 * activation.
 */
export async function poll(
	context: IPollFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][] | null> {
	const isManual = context.getMode() === 'manual';
	const isActivating = !isManual && isActivation(context, runtime);
	const clients = new ClientFactory(context, runtime);
	const redact = (text: string) => clients.redact(text);
	const logger = createSafeLogger(context.logger, redact);
	const run: PollRun = { context, runtime, clients, logger };
	try {
		if (isManual) return [await showJobs(run)];
		return await runExclusively(context, runtime, async () => await emitEvents(run));
	} catch (error) {
		const cause = toUserError(error).details.failure?.cause;
		const isTransient = cause === 'rate-limited' || cause === 'temporarily-unavailable';
		if (isActivating && isTransient) return null;
		throw toNodeError(error, { node: context.getNode(), redact, logger });
	}
}

async function emitEvents(run: PollRun): Promise<INodeExecutionData[][] | null> {
	const { context, logger } = run;
	const triggerOn = triggerOnField.read(context.getNodeParameter('triggerOn'));
	const { client, jobIds, limits, toItems } = await readJobs(run);
	const emitted = new EmittedEvents(context.getWorkflowStaticData('node'));

	const open = emitted.inOrder(jobIds).filter((jobId) => !emitted.isDone(jobId));
	const isNew = (jobId: string, event?: TriggerEvent) =>
		event !== undefined && triggerOn.includes(event) && !emitted.isRecorded(jobId, event);
	const bounds = { ...limits, isWanted: isNew };
	const { polled, firstLeft, isOutOfTime } = await pollJobs(client, open, bounds);
	if (open.length > 0 && polled.length === 0) {
		logger.warn(
			"Browser Agent Trigger could not check any job: the account's rate limit is used up",
		);
	}
	const newEvents = polled.filter(({ jobId, event }) => isNew(jobId, event));
	for (const { jobId, event } of polled) {
		if (event !== undefined) emitted.record(jobId, event);
	}

	logErrors(polled, logger);
	if (newEvents.length === 0) {
		emitted.save(jobIds, firstLeft);
		// A throw would lose where the next poll begins, in n8n's durable engine.
		if (!isOutOfTime) throwErrorOfAll(polled);
		return null;
	}
	const items = await toItems(newEvents);
	// Saved last, so that after any error the next poll emits the same events again.
	emitted.save(jobIds, firstLeft);
	return [items];
}

async function showJobs(run: PollRun): Promise<INodeExecutionData[]> {
	const { client, jobIds, limits, toItems } = await readJobs(run);
	if (jobIds.length === 0) {
		throw new UserError('There are no jobs to watch yet', {
			description: 'Start a job, make sure that its ID is among the jobs to watch, and test again.',
		});
	}
	const shown = jobIds.slice(0, MAX_JOBS_IN_TEST);
	const { polled } = await pollJobs(client, shown, { ...limits, isWanted: () => true });
	if (polled.length === 0) throw new ServiceError({ kind: 'queueTimeout' });
	logErrors(polled, run.logger);
	throwErrorOfAll(polled);
	return await toItems(polled.filter(({ error }) => error === undefined));
}

async function readJobs({ context, runtime, clients }: PollRun) {
	const { clock } = runtime;
	const options = readEventOptions(context);
	const deadline = pollDeadline(context, runtime);
	const limits = { clock, deadline, trigger: triggerName(context) };
	const client = await clients.clientFor(0);
	const listTimeout = clock.timeout(Math.min(MAX_LIST_MS, deadline - clock.now()));
	const jobIds = await readJobList(context, client, listTimeout);
	const toItem = async (seen: PolledJob) =>
		await toEventItem(context, client, seen, options, limits);
	const toItems = async (jobs: PolledJob[]) => await limitConcurrency(jobs, 1, toItem);
	return { client, limits, jobIds, toItems };
}

function logErrors(polled: PolledJob[], logger: Logger): void {
	for (const { jobId, error } of polled) {
		if (error === undefined) continue;
		const { message } = toUserError(error, { jobId });
		logger.warn(`Browser Agent Trigger could not check the status of job ${jobId}: ${message}`);
	}
}

// A job whose status can't be checked must not keep the others from being watched: n8n would not
// publish the workflow, or would not poll it for half an hour. A rejected key concerns all of them.
function throwErrorOfAll(polled: PolledJob[]): void {
	const failed = polled.filter(({ error }) => error !== undefined);
	const aboutKey = failed.find(({ error }) => kindOf(error) === 'unauthorized');
	const transient = failed.find(({ error }) => error instanceof ServiceError && error.isTransient);
	const ofAll = failed.length === polled.length ? (transient ?? failed[0]) : undefined;
	const thrown = aboutKey ?? ofAll;
	if (thrown !== undefined) throw toUserError(thrown.error, { jobId: thrown.jobId });
}
