import { randomBytes } from 'node:crypto';

import { errorReply, tooManyJobs } from '../reply';
import { asFields, asText } from './bodyFields';
import type { Operation } from './operation';
import { findWorkflow, mapPayload } from '../../dev/sandbox/answers/workflows';

/**
 * Answers 404 for an unknown workflow, 400 without a required input, 402 without credits, and 429
 * if the account may not run another job now.
 */
export const runWorkflow: Operation = ({ state, account, id, body, now }) => {
	const workflow = findWorkflow(id);
	if (!workflow) return errorReply(404, 'Workflow not found');
	const mapping = mapPayload(workflow, asText(asFields(body).payload) ?? '');
	if ('missing' in mapping) {
		return errorReply(400, `The payload has no value for the parameter '${mapping.missing}'`);
	}
	if (!account.hasCredits) return errorReply(402, 'The account has no credits left');
	if (!state.hasRoom(account)) return tooManyJobs;
	const { inputs } = mapping;
	const directive = workflow.toDirective(inputs);
	const script = state.scripts.take(id, directive);
	const start = { account, kind: 'workflow' as const, directive, inputs, workflowId: id, script };
	const job = state.startJob({ ...start, request: body }, now);
	const json = {
		status: 'success',
		job_id: job.id,
		user_id: account.userId,
		workflow_id: id,
		conversation_id: `conv_${randomBytes(12).toString('hex')}`,
		...script.startBody,
	};
	return { status: 200, json, jobId: job.id };
};
