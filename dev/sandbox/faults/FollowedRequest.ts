import type { ServerResponse } from 'node:http';

import type { ArrivedRequest, RequestHook } from '../../../api/backend';
import { asFields, asText } from '../../../api/operations/bodyFields';
import type { Reply } from '../../../api/reply';
import type { LogEntry } from '../state/RequestLog';
import type { SandboxState } from '../state/SandboxState';
import type { EndpointName } from '../types';
import { type Answer, applyFault, runsOperation } from './applyFault';
import { sendAnswer } from './sendAnswer';

/** Those whose response has fields that a job's script can change. */
const SCRIPTED_ENDPOINTS = new Set<string>(['startAgent', 'runWorkflow', 'getJob']);

/** A request on its way through the sandbox: it is counted and logged, and may meet a fault. */
export class FollowedRequest implements RequestHook {
	readonly logEntry: LogEntry;
	private readonly endpoint: EndpointName | 'unknown';

	constructor(
		private readonly state: SandboxState,
		{ head, endpoint, jobId }: ArrivedRequest,
	) {
		this.endpoint = endpoint;
		state.counters.requests[endpoint]++;
		this.logEntry = state.requestLog.add(head, endpoint, jobId, state.clock.now());
	}

	receiveBody(text: string): void {
		this.logEntry.rawBody = text;
	}

	/** Takes the next matching fault, if any; returns false if it replaces the operation. */
	letsOperationRun(): boolean {
		const { state, endpoint, logEntry } = this;
		if (endpoint === 'unknown') return true;
		const fault = state.faults.take(endpoint, logEntry.jobId);
		if (fault === undefined) return true;
		logEntry.fault = fault;
		state.counters.faults++;
		return runsOperation(fault, endpoint);
	}

	async send(response: ServerResponse, reply: Reply | undefined): Promise<void> {
		const answer = this.toAnswer(reply);
		await this.state.clock.sleep(this.logEntry.fault?.delaySeconds ?? 0);
		await sendAnswer(response, answer, this.logEntry);
	}

	/** Returns what is sent: the reply, changed by the job's script and by the request's fault. */
	toAnswer(reply: Reply | undefined): Answer {
		const scripted = reply && this.withScriptedFields(reply);
		const { fault } = this.logEntry;
		if (fault) return applyFault(fault, scripted);
		return scripted === undefined ? { kind: 'silence' } : { kind: 'reply', reply: scripted };
	}

	private withScriptedFields(reply: Reply): Reply {
		if (reply.status !== 200 || !SCRIPTED_ENDPOINTS.has(this.endpoint)) return reply;
		const json = { ...asFields(reply.json) };
		const job = this.state.jobs.get(asText(json.job_id) ?? '');
		if (!job) return reply;

		const { startBody, nullFields = [], omitFields = [] } = job.start.script;
		if (this.endpoint !== 'getJob') {
			this.logEntry.jobId = job.id;
			return { ...reply, json: { ...json, ...startBody } };
		}
		for (const field of nullFields) json[field] = null;
		for (const field of omitFields) delete json[field];
		return { ...reply, json };
	}
}
