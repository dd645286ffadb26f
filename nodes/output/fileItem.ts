import type { IDataObject } from 'n8n-workflow';

import type { JobFile } from '../service/types';
import { withoutUnset } from './jobItem';

/** A file of a job as the user sees it, not downloaded. */
export function toFileItem(jobId: string, file: JobFile): IDataObject {
	return withoutUnset({ job_id: jobId, ...file });
}
