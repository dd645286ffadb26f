import type { IDataObject } from 'n8n-workflow';

/** The `browser_config` of a start. Contains only what the user set. */
export interface BrowserConfig {
	width?: number;
	height?: number;
	/** `true` for a proxy in the US, or the code of another country. */
	residential_ip?: boolean | string;
	max_duration_minutes?: number;
	idle_timeout_minutes?: number;
	keep_browser_open?: boolean;
	use_user_browser_profile?: boolean;
}

/** The body of `POST /v1/run_browser_agent`. */
export interface RunBrowserAgentRequest {
	directive: string;
	initial_url?: string;
	cdp_url?: string;
	live_url?: string;
	action_selection_model?: string;
	browser_config?: BrowserConfig;
}

/**
 * The response to a start. Only the job's ID is certain. `status` is in lower case; `cancelled` is
 * changed to `canceled`. `body` is the response itself.
 */
export interface StartedJob {
	job_id: string;
	status?: string;
	live_url?: string;
	history_url?: string;
	/** The CDP URL of the job's browser: a secret. */
	cdp_url?: string;
	body: IDataObject;
}

/**
 * A job as the status endpoint returns it. Fields that were absent, `null` or of the wrong type are
 * undefined. `status` is in lower case; `cancelled` is changed to `canceled`. `body` is the
 * response itself.
 */
export interface Job {
	job_id: string;
	status: string;
	output?: unknown;
	error?: unknown;
	credits_used?: number;
	live_url?: string;
	history_url?: string;
	/** The CDP URL of the job's browser: a secret. */
	cdp_url?: string;
	created_at?: string;
	updated_at?: string;
	body: IDataObject;
}

/** The files of a job, as the service lists them. */
export interface JobFileList {
	job_id: string;
	files: JobFile[];
}

/** A file that a job downloaded. The unit of `expires_in` is not documented. */
export interface JobFile {
	filename?: string;
	download_url?: string;
	expires_in?: number;
}

/** Any response to `GET /v1/health`. Without a response, only `message` is set, and says why. */
export interface Health {
	statusCode?: number;
	response?: unknown;
	message?: string;
}

/** A request that starts a job. */
export interface StartRequest {
	/** The path, appended to the base URL. */
	path: string;
	body: object;
}
