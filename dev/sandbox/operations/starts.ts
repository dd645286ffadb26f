import { randomBytes } from 'node:crypto';

import { type Answer, problem } from '../reply';
import type { JobStart } from '../state/Job';
import { findWorkflow, mapPayload } from './workflows';
import type { Operation } from './operation';
import { jobLinks } from './jobLinks';

type Fields = Record<string, unknown>;

export const startAgent: Operation = ({ world, account, body, now, url }) => {
	const request = asFields(body);
	const directive = asText(request.directive) ?? '';
	if (directive.trim() === '') return problem(400, 'The directive is blank');
	if (!account.hasCredits) return noCredits;
	const script = world.scripts.take(directive);
	const job = world.startJob({ ...readStart(request), account, directive, script }, now);
	const answer: Fields = {
		job_id: job.id,
		status: script.startStatus ?? 'running',
		...jobLinks(job, url),
		polling_url: `${url}/v1/get_job_status/${job.id}`,
		...script.startBody,
	};
	const isUnchecked = script.startStatus !== undefined || script.startBody !== undefined;
	return { status: 200, json: answer, isUnchecked, jobId: job.id };
};

export const runWorkflow: Operation = ({ world, account, id, body, now }) => {
	const workflow = findWorkflow(id);
	if (!workflow) return problem(404, 'Workflow not found');
	const mapping = mapPayload(workflow, asText(asFields(body).payload) ?? '');
	if ('missing' in mapping) {
		return problem(400, `The payload has no value for the parameter '${mapping.missing}'`);
	}
	if (!account.hasCredits) return noCredits;
	const { inputs } = mapping;
	const directive = workflow.toDirective(inputs);
	const script = world.scripts.take(id, directive);
	const start = { account, kind: 'workflow' as const, directive, inputs, workflowId: id, script };
	const job = world.startJob({ ...start, request: body }, now);
	const answer: Fields = {
		status: 'success',
		job_id: job.id,
		user_id: account.userId,
		workflow_id: id,
		conversation_id: `conv_${randomBytes(12).toString('hex')}`,
		...script.startBody,
	};
	return { status: 200, json: answer, isUnchecked: script.startBody !== undefined, jobId: job.id };
};

const noCredits: Answer = problem(402, 'The account has no credits left');

function readStart(
	request: Fields,
): Omit<JobStart, 'account' | 'directive' | 'script' | 'defaultSeconds'> {
	const config = asFields(request.browser_config);
	const cdpUrl = asText(request.cdp_url);
	return {
		kind: 'agent',
		initialUrl: asText(request.initial_url),
		ownBrowser: cdpUrl ? { cdpUrl, liveUrl: asText(request.live_url) } : undefined,
		model: asText(request.action_selection_model),
		maxDurationMinutes: asNumber(config.max_duration_minutes),
		request,
	};
}

function asFields(value: unknown): Fields {
	return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function asText(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

function asNumber(value: unknown): number | undefined {
	return typeof value === 'number' ? value : undefined;
}
