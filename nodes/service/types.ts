import type { IDataObject } from 'n8n-workflow';

/** `browser_config` of a start; holds only what the user set. */
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

/**
 * What a start answers. Only the job's ID is certain: an answer without it is not a start that
 * anybody can follow. `body` is the answer as it came.
 */
export interface StartedJob {
	job_id: string;
	status?: string;
	body: IDataObject;
}

/**
 * A job as the status endpoint shows it. `status` is always there, in the service's own words but
 * for `cancelled`, which is `canceled`; whatever else was absent or `null` is left out.
 * `body` is the answer as it came.
 */
export interface Job {
	job_id: string;
	status: string;
	output?: unknown;
	error?: unknown;
	credits_used?: number;
	live_url?: string;
	history_url?: string;
	created_at?: string;
	updated_at?: string;
	body: IDataObject;
}

/** One file a job has downloaded. The unit of `expires_in` is not documented. */
export interface JobFile {
	filename?: string;
	download_url?: string;
	expires_in?: number;
}

/** What `GET /v1/health` answered: anything, or nothing at all (`message` says why). */
export interface Health {
	statusCode?: number;
	response?: unknown;
	message?: string;
}

/** How urgent a call is: what a user asks for goes before the polls of waiting jobs. */
export type Priority = 'direct' | 'background';

/** How long a call may take, and who may end it. Times are the clock's, in ms. */
export interface CallOptions {
	signal?: AbortSignal;
	deadline?: number;
	priority?: Priority;
	/** Of a call that only reads: ask again, twice at most, after a fault that may pass. */
	repeat?: boolean;
	/** Called when the call's turn in the rate budget has come, and it is sent. */
	onSent?: () => void;
}
