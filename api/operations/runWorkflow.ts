import { randomBytes } from 'node:crypto';

import { DEFAULT_BROWSER_CONFIG } from '../document';
import { errorReply } from '../reply';
import { asFields, asText } from './bodyFields';
import type { Operation } from './operation';

/** Answers 404 for an unknown workflow, and 402 if the account has no credits left. */
export const runWorkflow: Operation = ({ backend, account, id, body, now }) => {
	const workflow = backend.findWorkflow(id);
	if (!workflow) return errorReply(404, 'Workflow not found');
	const payload = asText(asFields(body).payload) ?? '';
	const task = workflow.toTask(payload);
	if (!account.hasCredits) return errorReply(402, 'The account has no credits left');

	const job = backend.startJob(
		{
			account,
			kind: 'workflow',
			...task,
			browserConfig: DEFAULT_BROWSER_CONFIG,
			workflowId: id,
			payload,
			request: body,
		},
		now,
	);

	const json = {
		status: 'success',
		job_id: job.id,
		user_id: account.userId,
		workflow_id: id,
		conversation_id: `conv_${randomBytes(12).toString('hex')}`,
	};
	return { status: 200, json };
};
