import * as n8nWorkflow from 'n8n-workflow';
import assert from 'node:assert/strict';
import type {
	ExecuteWorkflowData,
	ExecuteWorkflowOptions,
	IExecuteWorkflowInfo,
} from 'n8n-workflow';

import { AGENT_RUN, type Check } from './checks';

// A wait is suspended after a minute.
const LONG = { statuses: ['running'], match: 'Long' };

/** What the package does without where n8n lacks it; each returns whether the package uses it. */
export const FEATURES: Record<string, Check> = {
	async suspension(subject) {
		const isKnown = 'WAIT_FOR_SUB_EXECUTION' in n8nWorkflow;
		await subject.admin.nextJob(isKnown ? LONG : { match: 'Long', durationSeconds: 2 });
		const calls: Array<{ info: IExecuteWorkflowInfo; options: ExecuteWorkflowOptions }> = [];
		const { run, items } = await subject.run(
			{ ...AGENT_RUN, directive: 'Long', suspendWhileWaiting: true },
			{
				additionalData: {
					async executeWorkflow(info, _data, options): Promise<ExecuteWorkflowData> {
						calls.push({ info, options });
						return { executionId: '2', data: [null], waitTill: n8nWorkflow.WAIT_FOR_SUB_EXECUTION };
					},
				},
			},
		);
		if (calls.length === 0) {
			assert.equal(items[0]?.json.status, 'completed');
			return false;
		}
		assert.equal(run.status, 'waiting');
		assert.equal(calls[0]?.options.parentExecution?.shouldResume, true);
		return true;
	},

	async highlightedData(subject) {
		const { run, items } = await subject.run({ ...AGENT_RUN, directive: 'Highlighted' });
		const { metadata } = run.data.resultData;
		return metadata?.browser_agent_jobs === String(items[0]?.json.job_id);
	},

	async hints(subject) {
		const input = [{ json: {} }, { json: {} }];
		const { task, items } = await subject.run({ ...AGENT_RUN, directive: 'Two jobs' }, { input });
		assert.equal(items.length, 2);
		return (task?.hints ?? []).some(({ message }) => message.includes('2 jobs'));
	},
};
