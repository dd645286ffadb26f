/**
 * The tables of the document in which the service's makers describe it, copied by hand. A test
 * compares openapi.yaml with them.
 */

/** A field: its name, its type, and what else its row says. */
export type FieldRow = [name: string, type: string, ...facts: string[]];

export const documentedFields: Record<string, FieldRow[]> = {
	RunBrowserAgentRequest: [
		['directive', 'string', 'required'],
		['initial_url', 'string or null'],
		['cdp_url', 'string or null'],
		['live_url', 'string or null'],
		['action_selection_model', 'string or null', 'default vendora-sonnet-4-20250514'],
		['browser_config', 'BrowserConfig or null'],
	],
	BrowserConfig: [
		['width', 'integer', '320 to 4096', 'default 1920'],
		['height', 'integer', '320 to 4096', 'default 1080'],
		['residential_ip', 'boolean or us|ca|gb|de|fr|au|jp|in|br|kr', 'default false'],
		['max_duration_minutes', 'integer', '1 to 240', 'default 30'],
		['idle_timeout_minutes', 'integer', '1 to 60', 'default 2'],
		['keep_browser_open', 'boolean', 'default false'],
		['use_user_browser_profile', 'boolean', 'default false'],
	],
	BrowserAgentStartResponse: [
		['job_id', 'string', 'required'],
		['status', 'JobRunStatus', 'required'],
		['live_url', 'string or null'],
		['cdp_url', 'string or null'],
		['history_url', 'string', 'required'],
		['polling_url', 'string', 'required'],
	],
	// The document has no table of it, but names these fields.
	JobStatusResponse: [
		['status', 'JobRunStatus', 'required'],
		['output', 'any'],
		['error', 'any'],
	],
	JobFilesResponse: [
		['job_id', 'string'],
		['file_count', 'integer'],
		['files', 'array of JobFile'],
	],
	JobFile: [
		['filename', 'string'],
		['download_url', 'string'],
		['expires_in', 'integer'],
	],
	WorkflowTriggerRequest: [['payload', 'string or null']],
	WorkflowTriggerResponse: [
		['status', 'success', 'required'],
		['job_id', 'string', 'required'],
		['user_id', 'string', 'required'],
		['workflow_id', 'string', 'required'],
		['conversation_id', 'string', 'required'],
	],
	CreditBalanceResponse: [
		['plan', 'free|pro|enterprise', 'required'],
		['unlimited', 'boolean', 'required'],
		['credit_balance', 'integer or null'],
		['next_reset', 'date-time or null'],
		['message', 'string or null'],
	],
	ApiResponse: [
		['status', 'success|error', 'required'],
		['message', 'string or null'],
		['data', 'any'],
	],
	ErrorResponse: [
		['detail', 'string', 'required'],
		['status_code', 'integer', 'required'],
	],
	HTTPValidationError: [['detail', 'array of ValidationError', 'required']],
	ValidationError: [
		['loc', 'array of string or integer', 'required'],
		['msg', 'string', 'required'],
		['type', 'string', 'required'],
	],
};

export const documentedStatuses = [
	'provisioning',
	'running',
	'completed',
	'failed',
	'user_taken_over',
	'paused',
];

export const documentedModels = {
	'vendorb/vendorb-3-flash-preview': 1,
	o3: 3,
	'vendora-sonnet-4-20250514': 5,
	'vendorc-4o': 5,
	'vendora-opus-4-1-20250805': 25,
};

export const documentedLimits = { startsPerMinute: 10, statusPerMinute: 60, balancePerMinute: 60 };

/** By method and path: the schemas of the request and of a response with this status code. */
export const documentedEndpoints: Record<string, Record<string, string>> = {
	'post /v1/run_browser_agent': {
		body: 'RunBrowserAgentRequest',
		'200': 'BrowserAgentStartResponse',
		'400': 'ErrorResponse',
		'401': 'ErrorResponse',
		'402': 'ErrorResponse',
		'422': 'HTTPValidationError',
		'429': 'no schema',
		'500': 'ErrorResponse',
	},
	'get /v1/get_job_status/{job_id}': { '200': 'JobStatusResponse', '429': 'no schema' },
	'post /v1/pause_job/{job_id}': {},
	'post /v1/resume_job/{job_id}': { '200': 'ApiResponse' },
	'get /v1/get_job_files/{job_id}': { '200': 'JobFilesResponse' },
	'post /workflows/run-with-payload/{workflow_id}': {
		body: 'WorkflowTriggerRequest',
		'200': 'WorkflowTriggerResponse',
	},
	'get /v1/get_credit_balance': { '200': 'CreditBalanceResponse', '429': 'no schema' },
	'/v1/health': {},
};
