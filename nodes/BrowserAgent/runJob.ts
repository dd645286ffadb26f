import { NodeFailure } from '../errors/NodeFailure';
import { toNodeFailure } from '../errors/toNodeFailure';
import { previousJobs } from '../jobs/fate';
import { type AttachedFiles, toAttachedFiles, toCheckedOutput, toJobItem } from '../jobs/item';
import { downloadJobFiles, listJobFiles } from '../jobs/jobFiles';
import type { JobOptions, JobTask } from '../jobs/JobTask';
import { jobLinks } from '../jobs/links';
import { resumeIfPaused } from '../jobs/pause';
import { startOnce } from '../jobs/startOnce';
import { isSuccessful, isTakenOver, jobDurationMs, toSeconds } from '../jobs/status';
import { TrackedJob } from '../jobs/TrackedJob';
import { jobFailureError } from '../jobs/waitErrors';
import { waitForEnd } from '../jobs/waitForEnd';
import type { JobWait, WaitEnd, Work } from '../jobs/Work';
import type { Job } from '../service/types';
import type { CheckedOutput } from '../structuredOutput/checkOutput';
import type { OutputResult, Result, SuspendedResult } from './Run';

/** How much of an invalid output an error quotes. */
const MAX_BEGINNING_CHARACTERS = 200;

/**
 * Starts a job once, waits for its end, and returns its item; starts another one if its status is
 * `failed`, up to `maxAttempts` in all. Returns the wait instead if it is suspended. Throws a
 * `NodeFailure`, or the `ServiceError` that a start threw.
 *
 * A retry of the node, or an equal call, continues with the latest attempt: `JobMemory` says which
 * jobs are remembered and for how long, `startOnce` when one is started or continued, and
 * `shouldPause` when one is paused.
 */
export async function runJob(work: Work, task: JobTask, options: JobOptions): Promise<Result[]> {
	const { run, jobs } = work;
	const { maxAttempts = 1 } = options;
	for (let current = work; ; current = nextAttempt(work)) {
		await startOnce(current, task);
		const { job_id: jobId, start } = current.job.record;
		const extraFields = task.extraFields?.(start?.body ?? {});
		const wait = beginWait(current, options);
		const end = await waitForEnd(current, wait, options);
		const attempt = jobs.length;
		// A user who takes over or cancels a job does so on purpose. A status that the service doesn't
		// document may mean anything, so it starts no other paid job either.
		const hasFailed = end.kind === 'finished' && end.job.status === 'failed';
		if (!hasFailed || attempt >= maxAttempts) {
			return [await toResult(current, { wait, options, extraFields }, end)];
		}

		run.logger.info(`Browser Agent: attempt ${attempt} of ${maxAttempts} failed, job ${jobId}`, {
			jobId,
		});
	}
}

/** Waits for a job that the user has specified, and returns its item, or the wait. */
export async function waitForGivenJob(work: Work, options: JobOptions): Promise<Result[]> {
	await resumeIfPaused(work);
	return [await waitForResult(work, { wait: beginWait(work, options), options })];
}

/** Continues a wait, and returns the item of its job, or the wait if it is suspended again. */
export async function waitForResult(work: Work, awaited: AwaitedJob): Promise<Result> {
	return await toResult(work, awaited, await waitForEnd(work, awaited.wait, awaited.options));
}

/** What a suspended result says about its job. */
type AwaitedJob = Pick<SuspendedResult, 'wait' | 'options' | 'extraFields'>;

function beginWait({ run }: Work, { maxWaitMs }: JobOptions): JobWait {
	const beganAt = run.clock.now();
	return { beganAt, deadline: beganAt + maxWaitMs };
}

function nextAttempt(work: Work): Work {
	const job = new TrackedJob(work.run.clock);
	work.jobs.push(job);
	return { ...work, job };
}

/**
 * Turns the end of a wait into a result: the item of the job, or the wait itself if it should be
 * suspended. On the way, the output is checked, and the job's files are downloaded if the item
 * should have them. Throws a `NodeFailure` that names the job.
 */
async function toResult(
	work: Work,
	{ wait, options, extraFields }: AwaitedJob,
	end: WaitEnd,
): Promise<Result> {
	if (end.kind === 'suspended') {
		return { kind: 'suspended', wait, options, extraFields, links: jobLinks(work) };
	}
	const { job } = end;
	const { job_id: jobId } = job;
	const isFinished = end.kind === 'finished';
	if (isFinished && !isSuccessful(job) && !isReturned(job, options)) {
		throw jobFailureError(work, job);
	}
	try {
		const now = work.run.clock.now();
		const ms = jobDurationMs(job, work.job.record.start?.at, now) ?? now - wait.beganAt;
		const json = toJobItem(withKnownLinks(work, job), {
			...options,
			extraFields,
			isFinished,
			durationSeconds: toSeconds(ms),
			checked: requireValidOutput(work, job, options),
		});
		const previous_jobs = previousJobs(work.jobs);
		if (previous_jobs.length > 0) json.previous_jobs = previous_jobs;
		const links = jobLinks(work);
		const result: OutputResult = { kind: 'output', json, links, isUnfinished: !isFinished };
		if (!options.downloadFiles || !isFinished) return result;

		const { files, binary } = await downloadFiles(work, jobId, options);
		return { ...result, json: { ...json, files }, binary };
	} catch (error) {
		throw toNodeFailure(error, { jobId });
	}
}

/** Whether the user wants a job with this end, or this takeover, as an item. */
function isReturned(job: Job, { returnInsteadOfFailing }: JobOptions): boolean {
	return returnInsteadOfFailing.includes(isTakenOver(job) ? 'takeover' : 'jobFailure');
}

/** Fills in what the service may have sent only in its response to the start. */
function withKnownLinks({ job: { record } }: Work, job: Job): Job {
	return {
		...job,
		live_url: job.live_url ?? record.live_url,
		history_url: job.history_url ?? record.history_url,
		cdp_url: job.cdp_url ?? record.cdp_url,
	};
}

/**
 * Checks the output of a job, and returns undefined if there is nothing to check. Throws a
 * `NodeFailure` for an output that does not match, unless the user wants such items.
 */
function requireValidOutput(
	work: Work,
	job: Job,
	{ outputSchema, returnInsteadOfFailing }: JobOptions,
): CheckedOutput | undefined {
	const checked = toCheckedOutput(job, outputSchema, work.client.redactor);
	const mismatches = checked?.output_errors ?? [];
	if (mismatches.length === 0 || returnInsteadOfFailing.includes('invalidOutput')) return checked;
	throw invalidOutputError(work, job, mismatches);
}

function invalidOutputError(work: Work, job: Job, [first, ...others]: string[]): NodeFailure {
	const { job_id, output } = job;
	const also = others.length === 0 ? '' : `Also: ${others.join('; ')}. `;
	const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
	const shown = work.client.redactor.toPlainText(text, MAX_BEGINNING_CHARACTERS);
	const quoted =
		shown === ''
			? ''
			: `The output begins with "${shown}". See the whole output with Job: Get Status. `;
	return new NodeFailure(`The output of job ${job_id} does not match 'Output Format': ${first}`, {
		description: `${also}${quoted}To get such outputs as items, choose 'Output Is Invalid' in the option 'Return Instead of Failing'.`,
		jobIds: [job_id],
		isLasting: true,
		links: jobLinks(work),
	});
}

async function downloadFiles(
	work: Work,
	jobId: string,
	{ maxFileBytes: maxBytes }: JobOptions,
): Promise<AttachedFiles> {
	try {
		const list = await listJobFiles(work, jobId, { isFinished: true });
		const results = await downloadJobFiles(work, list, { maxBytes });
		const stored = results.map((result) => {
			if (!('error' in result)) return result;
			throw toNodeFailure(result.error, { jobId, filename: result.filename });
		});
		return toAttachedFiles(stored);
	} catch (error) {
		throw filesError(error, jobId);
	}
}

/** Adds a note to a download's error: the job itself did not fail. */
function filesError(error: unknown, jobId: string): NodeFailure {
	const described = toNodeFailure(error, { jobId });
	if (described.details.isStopped === true) return described;
	const { description = '', statusCode } = described.details;
	const advice =
		statusCode === 410
			? ''
			: ': get the files with Job File: Download instead of running the job again';
	return described.with({
		description: `Only the download failed, not the job${advice}. ${description}`.trim(),
	});
}
