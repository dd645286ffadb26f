import type { IBinaryKeyData, IDataObject, IPollFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../client/ServiceClient';
import { aboutFile } from '../errors/aboutFile';
import { toProblem } from '../errors/toNodeError';
import { toAttachedFiles } from '../items/attachedFiles';
import { currentClock } from '../jobs/clock';
import { downloadJobFiles } from '../jobs/downloadJobFiles';
import { withTimeLimit } from '../jobs/timeLimit';

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
					store: helpers.prepareBinaryData.bind(helpers),
				}),
		);
		const failed = outcomes.find((outcome) => 'error' in outcome);
		return {
			...toAttachedFiles(outcomes),
			...(failed === undefined
				? {}
				: { files_error: aboutFile(failed.error, jobId, failed.filename).message }),
		};
	} catch (error) {
		const words = toProblem(error, { jobId })?.message;
		return {
			binary: {},
			files_error: words ?? (error instanceof Error ? error.message : String(error)),
		};
	}
}
