import type { EndpointName, Fault, FaultKind, JobScript } from '../types';

/** An error that the admin API answers with `status` and the message. */
export class AdminError extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}

const ENDPOINTS: Record<EndpointName | '*', true> = {
	startAgent: true,
	getJob: true,
	pauseJob: true,
	resumeJob: true,
	getJobFiles: true,
	runWorkflow: true,
	getCreditBalance: true,
	getHealth: true,
	file: true,
	'*': true,
};

const FAULT_KINDS: Record<FaultKind, true> = {
	status: true,
	body: true,
	redirect: true,
	delay: true,
	reset: true,
	truncate: true,
	stall: true,
};

const FAULT_FIELDS: Record<keyof Fault, true> = {
	endpoint: true,
	kind: true,
	jobId: true,
	times: true,
	skip: true,
	when: true,
	status: true,
	body: true,
	contentType: true,
	headers: true,
	delayMs: true,
	truncateAfterBytes: true,
	location: true,
};

const SCRIPT_FIELDS: Record<keyof JobScript, true> = {
	match: true,
	durationSeconds: true,
	outcome: true,
	output: true,
	error: true,
	steps: true,
	files: true,
	statuses: true,
	omitFields: true,
	nullFields: true,
	startStatus: true,
	startBody: true,
};

/** Returns the body as job scripts. Throws an `AdminError` for an unknown field, such as a typo. */
export function parseScripts(body: unknown): JobScript[] {
	if (!Array.isArray(body)) throw new AdminError(400, 'The scripts must be an array');
	for (const script of body) rejectUnknownFields(script, SCRIPT_FIELDS);
	return body as JobScript[];
}

/** Returns the body as a fault. Throws an `AdminError` for an unknown field, endpoint or kind. */
export function parseFault(body: unknown): Fault {
	rejectUnknownFields(body, FAULT_FIELDS);
	const fault = body as Fault;
	rejectUnknown('endpoint', fault.endpoint, ENDPOINTS);
	rejectUnknown('kind', fault.kind, FAULT_KINDS);
	return fault;
}

function rejectUnknownFields(value: unknown, known: Record<string, true>): void {
	if (typeof value !== 'object' || value === null) throw new AdminError(400, 'Not an object');
	for (const name of Object.keys(value)) rejectUnknown('field', name, known);
}

function rejectUnknown(what: string, value: unknown, known: Record<string, true>): void {
	if (typeof value === 'string' && Object.hasOwn(known, value)) return;
	const choices = Object.keys(known).join(', ');
	throw new AdminError(400, `Unknown ${what} '${String(value)}', must be one of: ${choices}`);
}
