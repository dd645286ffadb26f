import type { IDataObject } from 'n8n-workflow';

/** `browser_config` of a start; contains only what the user has set. */
export interface BrowserConfig {
	width?: number;
	height?: number;
	/** `true`: a US proxy; a country code: a proxy there. */
	residential_ip?: boolean | string;
	max_duration_minutes?: number;
	idle_timeout_minutes?: number;
	keep_browser_open?: boolean;
	use_user_browser_profile?: boolean;
}

/** Body of `POST /v1/run_browser_agent`. */
export interface RunBrowserAgentRequest {
	directive: string;
	initial_url?: string;
	cdp_url?: string;
	live_url?: string;
	action_selection_model?: string;
	browser_config?: BrowserConfig;
}

/** The response to a start. Only the job's ID is certain. `body` is the response as it came. */
export interface StartedJob {
	job_id: string;
	status?: string;
	live_url?: string;
	history_url?: string;
	/** The address of the job's browser: a secret. */
	cdp_url?: string;
	body: IDataObject;
}

/**
 * A job as the status endpoint shows it; what was absent or `null` is left out. `status` is always
 * there, in lower case, and `canceled` for `cancelled`. `body` is the response as it came.
 */
export interface Job {
	job_id: string;
	status: string;
	output?: unknown;
	error?: unknown;
	credits_used?: number;
	live_url?: string;
	history_url?: string;
	/** The address of the job's browser: a secret. */
	cdp_url?: string;
	created_at?: string;
	updated_at?: string;
	body: IDataObject;
}

/**
 * The files of a job. What the service says of their number need not be the number of those that it
 * lists.
 */
export interface JobFileList {
	job_id: string;
	file_count?: number;
	files: JobFile[];
}

/** A file that a job has downloaded. The unit of `expires_in` is not documented. */
export interface JobFile {
	filename?: string;
	download_url?: string;
	expires_in?: number;
}

/** What `GET /v1/health` responds: anything, or nothing at all (`message` says why). */
export interface Health {
	statusCode?: number;
	response?: unknown;
	message?: string;
}
