import type { IBinaryKeyData, IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { connect } from '../service/connect';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import { UserError } from '../errors/UserError';
import { ServiceError } from '../errors/ServiceError';
import { toNodeError, toUserError, toWords } from '../errors/toNodeError';
import { toJobItem } from '../output/jobItem';
import { currentClock } from '../async/clock';
import { isFinished } from '../jobs/status';
import { attachFiles } from './attachFiles';
import { readJobIds } from './jobList';
import { lookAtJobs, type Look } from './pollJobs';
import { EVENTS, Memory, type Event } from './emittedEvents';
import { isPublishing, pollDeadline, runAlone } from './pollTime';

const MOST_IN_TEST = 10;

/**
 * One poll: looks at the watched jobs and returns an item for each event that has not been told
 * yet, or `null` when there is no news. A manual test shows the jobs as they are and keeps nothing.
 * Throws when a fault leaves nothing to tell of any job, in words that n8n's scheduler can read, too;
 * a passing fault does not keep a workflow from being published.
 */
export async function watchJobs(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const isManual = context.getMode() === 'manual';
	const isPublished = !isManual && isPublishing(context);
	try {
		if (isManual) return [await showJobs(context)];
		return await runAlone(context, async () => await pollJobs(context));
	} catch (error) {
		const cause = toUserError(error)?.details.failure?.cause;
		const isTransient = cause === 'rate-limited' || cause === 'temporarily-unavailable';
		if (isPublished && isTransient) return null;
		throw toNodeError(error, { node: context.getNode() });
	}
}

async function pollJobs(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const deadline = pollDeadline(context);
	const triggerOn = readTriggerOn(context);
	const client = await connect(context);
	const jobIds = await readJobIds(context, client);
	const memory = new Memory(context.getWorkflowStaticData('node'));

	const open = memory.inTurn(jobIds).filter((jobId) => !memory.isDone(jobId, triggerOn));
	const { looks, firstLeft } = await lookAtJobs(client, open, { clock: currentClock(), deadline });
	memory.goOnWith(firstLeft);
	if (open.length > 0 && looks.length === 0) {
		context.logger.warn('Browser Agent Trigger had no room in the rate limit of the account');
	}

	const news: Array<{ event: Event; look: Look }> = [];
	for (const look of looks) {
		const event = eventOf(look);
		if (event === undefined) continue;
		const isNews = triggerOn.includes(event) && !memory.isTold(look.jobId, event);
		if (isNews) news.push({ event, look });
		memory.note(look.jobId, event, isNews);
	}

	logFaults(looks, context);
	if (news.length === 0) {
		memory.save(jobIds);
		throwFaultOfAll(looks);
		return null;
	}
	const items: INodeExecutionData[] = [];
	for (const { look } of news) items.push(await toItem(context, client, look, deadline));
	// Last, so that whatever goes wrong before it only makes the next poll tell the same again.
	memory.save(jobIds);
	return [items];
}

async function showJobs(context: IPollFunctions): Promise<INodeExecutionData[]> {
	const client = await connect(context);
	const jobIds = (await readJobIds(context, client)).slice(0, MOST_IN_TEST);
	if (jobIds.length === 0) {
		throw new UserError('There are no jobs to watch yet', {
			description: 'Start a job, see to it that its ID is among the jobs to watch, and test again.',
		});
	}
	const deadline = pollDeadline(context);
	const { looks } = await lookAtJobs(client, jobIds, { clock: currentClock(), deadline });
	if (looks.length === 0) throw new ServiceError({ kind: 'queueTimeout' });
	logFaults(looks, context);
	throwFaultOfAll(looks);
	const items: INodeExecutionData[] = [];
	for (const look of looks) {
		if (!('error' in look)) items.push(await toItem(context, client, look, deadline));
	}
	return items;
}

function readTriggerOn(context: IPollFunctions): Event[] {
	const value = context.getNodeParameter('triggerOn');
	const chosen = Array.isArray(value) ? value : [value];
	const events = EVENTS.filter((event) => chosen.includes(event));
	if (events.length === 0) {
		throw new UserError("'Trigger On' is empty", {
			description: 'Choose at least one of its events.',
			failure: { cause: 'configuration-invalid' },
		});
	}
	return events;
}

function eventOf(look: Look): Event | undefined {
	if ('error' in look) return undefined;
	if (look.job === undefined) return 'not_found';
	const { status } = look.job;
	return EVENTS.find((event) => event === status);
}

function logFaults(looks: Look[], { logger }: IPollFunctions): void {
	for (const { jobId, error } of faultsIn(looks)) {
		logger.warn(`Browser Agent Trigger could not look at job ${jobId}: ${toWords(error)}`);
	}
}

// A job that cannot be looked at must not keep the others from being watched: n8n would not publish
// the workflow, or would leave it alone for half an hour. A key that is not accepted is about all.
function throwFaultOfAll(looks: Look[]): void {
	const faults = faultsIn(looks);
	const aboutKey = faults.find(({ error }) => isUnauthorized(error));
	const fault = aboutKey ?? (faults.length === looks.length ? faults[0] : undefined);
	if (fault !== undefined) throw toUserError(fault.error, { jobId: fault.jobId }) ?? fault.error;
}

function faultsIn(looks: Look[]) {
	return looks.flatMap((look) => ('error' in look ? [look] : []));
}

function isUnauthorized(error: unknown): boolean {
	return error instanceof ServiceError && error.kind === 'unauthorized';
}

async function toItem(
	context: IPollFunctions,
	client: ServiceClient,
	look: Look,
	deadline: number,
): Promise<INodeExecutionData> {
	const { jobId } = look;
	const job = 'job' in look ? look.job : undefined;
	const detected_at = new Date(currentClock().now()).toISOString();
	if (job === undefined) {
		return { json: { job_id: jobId, status: 'not_found', is_finished: false, detected_at } };
	}
	const { json, binary } = await toJob(context, client, job, deadline);
	return { json: { ...json, detected_at }, ...(binary === undefined ? {} : { binary }) };
}

async function toJob(
	context: IPollFunctions,
	client: ServiceClient,
	job: Job,
	deadline: number,
): Promise<{ json: IDataObject; binary?: IBinaryKeyData }> {
	const simplify = context.getNodeParameter('simplify', true) !== false;
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const json = toJobItem(job, { simplify, parseJsonOutput: options.parseJsonOutput === true });
	if (options.downloadFiles !== true || !isFinished(job)) return { json };

	const { binary, ...files } = await attachFiles(context, client, job.job_id, deadline);
	return { json: { ...json, ...files }, binary };
}
