/** A job that failed before the item's latest one was started. Field names match the output. */
export interface PreviousJob {
	job_id: string;
	job_error?: string;
	credits_used?: number;
}

/** What is known of the job of a failed item. Field names match the output. */
export interface JobDetails {
	/** If unset, only earlier jobs of the item are known. */
	job_id?: string;
	status?: string;
	history_url?: string;
	live_url?: string;
	credits_used?: number;
	previous_jobs?: PreviousJob[];
}
