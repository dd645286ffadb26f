import type { IBinaryKeyData, IDataObject, IPollFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../service/ServiceClient';
import { toFileError } from '../errors/fileError';
import { ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { toAttachedFiles } from '../output/attachedFiles';
import { storeFile } from '../output/storeFile';
import { currentClock } from '../async/clock';
import { downloadJobFiles } from '../jobs/jobFiles';
import { withTimeLimit } from '../async/timeLimit';

interface EventFiles {
	files?: IDataObject[];
	/** Why files are missing. The event is told all the same: it comes only once. */
	files_error?: string;
	binary: IBinaryKeyData;
}

/** Fetches the files of a finished job until `deadline`, as many as can be had. Never throws. */
export async function attachFiles(
	{ helpers }: IPollFunctions,
	client: ServiceClient,
	jobId: string,
	deadline: number,
): Promise<EventFiles> {
	const clock = currentClock();
	try {
		const outcomes = await withTimeLimit(
			clock,
			deadline - clock.now(),
			async (signal) =>
				await downloadJobFiles(client, jobId, {
					signal,
					store: async (...file) => await storeFile(helpers, ...file),
				}),
		);
		const failed = outcomes.find((outcome) => 'error' in outcome);
		return {
			...toAttachedFiles(outcomes),
			...(failed === undefined
				? {}
				: { files_error: reason(failed.error, jobId, failed.filename) }),
		};
	} catch (error) {
		return { binary: {}, files_error: reason(error, jobId) };
	}
}

function reason(error: unknown, jobId: string, filename?: string): string {
	// Nobody stops a poll: it was the time limit.
	if (error instanceof ServiceError && error.kind === 'stopped') {
		const what = filename === undefined ? 'The files' : `File '${filename}'`;
		return `${what} of job ${jobId}: there was no time left in this poll`;
	}
	if (filename !== undefined) return toFileError(error, jobId, filename).message;
	return (
		toUserError(error, { jobId })?.message ?? (error instanceof Error ? error.message : String(error))
	);
}
