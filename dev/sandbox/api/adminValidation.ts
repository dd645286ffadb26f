import type { EndpointName, Fault, FaultKind, JobScript } from '../types';

/** What the admin face cannot do, said to whoever wrote the test. */
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

/** A misspelt field would otherwise be a script that does nothing. */
export function readScripts(body: unknown): JobScript[] {
	if (!Array.isArray(body)) throw new AdminError(400, 'Scripts come as a list');
	for (const script of body) refuseUnknownFields(script, SCRIPT_FIELDS);
	return body as JobScript[];
}

export function readFault(body: unknown): Fault {
	refuseUnknownFields(body, FAULT_FIELDS);
	const fault = body as Fault;
	refuseUnknown('endpoint', fault.endpoint, ENDPOINTS);
	refuseUnknown('kind', fault.kind, FAULT_KINDS);
	return fault;
}

function refuseUnknownFields(value: unknown, known: Record<string, true>): void {
	if (typeof value !== 'object' || value === null) throw new AdminError(400, 'Not an object');
	for (const name of Object.keys(value)) refuseUnknown('field', name, known);
}

function refuseUnknown(what: string, value: unknown, known: Record<string, true>): void {
	if (typeof value === 'string' && Object.hasOwn(known, value)) return;
	const choice = Object.keys(known).join(', ');
	throw new AdminError(400, `There is no ${what} '${String(value)}'; there are ${choice}`);
}
