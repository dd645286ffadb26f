import type { IDataObject } from 'n8n-workflow';

import { toFileError } from '../errors/fileError';
import { describeServiceError } from '../errors/describeServiceError';
import { UserError } from '../errors/UserError';
import { asThrown, ServiceError } from '../errors/ServiceError';
import { toAttachedFiles } from '../output/attachedFiles';
import { toJobItem } from '../output/jobItem';
import { downloadJobFiles } from '../jobs/jobFiles';
import { isFinished } from '../jobs/status';
import type { FollowedResult } from './concludeWait';
import type { SharedRun, OutputItem } from './operations/operation';
import type { WaitOptions } from '../parameters/waiting';

/** How the item is made. `more` are further fields of a simplified item. */
export interface FinishedItemOptions {
	wait: WaitOptions;
	simplify: boolean;
	more?: IDataObject;
}

/**
 * The item of a job that is not waited for any more, with the job's files if the user wants them.
 * Throws a `UserError` that names the job when a file is not to be had.
 */
export async function toFinishedItem(
	run: SharedRun,
	{ job, durationSeconds }: FollowedResult,
	{ wait, simplify, more }: FinishedItemOptions,
): Promise<OutputItem> {
	const { parseJsonOutput } = wait;
	const json = toJobItem(job, { simplify, parseJsonOutput, durationSeconds, more });
	if (!wait.downloadFiles || !isFinished(job)) return { json };

	const { files, binary } = await fetchFiles(run, job.job_id);
	return { json: { ...json, files }, binary };
}

async function fetchFiles({ client, signal, storeFile }: SharedRun, jobId: string) {
	try {
		const outcomes = await downloadJobFiles(client, jobId, { signal, store: storeFile });
		const failed = outcomes.find((outcome) => 'error' in outcome);
		if (failed !== undefined) throw toFileError(failed.error, jobId, failed.filename);
		return toAttachedFiles(outcomes);
	} catch (error) {
		throw asThrown(afterTheJob(error, jobId));
	}
}

function afterTheJob(error: unknown, jobId: string): unknown {
	const problem =
		error instanceof ServiceError ? describeServiceError(error, { jobId }) : (error as Error);
	if (!(problem instanceof UserError) || problem.details.isStop === true) return problem;
	return new UserError(problem.message, {
		...problem.details,
		description:
			`The job itself has finished. Get its files with Job File: Download; do not start it again. ${problem.details.description ?? ''}`.trim(),
	});
}
