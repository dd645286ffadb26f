import type { INodePropertyOptions } from 'n8n-workflow';

import { MAX_NAME_CHARACTERS, toPlainText } from '../../errors/plainText';
import { UserError } from '../../errors/UserError';
import { toText } from '../../parameters/values';
import { getCreditBalance } from './account/getCreditBalance';
import { runAgent } from './agent/run';
import { getJob } from './job/get';
import { pauseJob } from './job/pause';
import { resumeJob } from './job/resume';
import { waitForJob } from './job/wait';
import { downloadFiles } from './jobFile/download';
import { getAllJobFiles } from './jobFile/getAll';
import type { Operation } from './operation';
import { getHealth } from './service/getHealth';
import { runWorkflow } from './workflow/run';

/** One entry of the Resource dropdown, with its operations. */
export interface Resource {
	option: INodePropertyOptions;
	operations: Operation[];
	/**
	 * The preselected operation; unset: the first one. It must never change: n8n saves workflows
	 * without default values.
	 */
	defaultOperation?: Operation;
}

/**
 * All resources, the most used first: n8n's panel lists the actions in this order and preselects
 * the first one.
 */
export const RESOURCES: Resource[] = [
	{ option: { name: 'Agent', value: 'agent' }, operations: [runAgent] },
	{ option: { name: 'Workflow', value: 'workflow' }, operations: [runWorkflow] },
	{
		option: { name: 'Job', value: 'job' },
		operations: [waitForJob, getJob, pauseJob, resumeJob],
		defaultOperation: getJob,
	},
	{
		option: { name: 'Job File', value: 'jobFile' },
		operations: [downloadFiles, getAllJobFiles],
		defaultOperation: getAllJobFiles,
	},
	{ option: { name: 'Account', value: 'account' }, operations: [getCreditBalance] },
	{ option: { name: 'Service', value: 'service' }, operations: [getHealth] },
];

/**
 * Returns an operation of the table. Throws a `UserError` if it is not there: the values may come
 * from an expression.
 */
export function findOperation(resource: unknown, operation: unknown): Operation {
	const { operations = [] } = RESOURCES.find(({ option }) => option.value === resource) ?? {};
	const found = operations.find(({ option }) => option.value === operation);
	if (found !== undefined) return found;
	const pair = toPlainText(`${toText(resource)}: ${toText(operation)}`, MAX_NAME_CHARACTERS);
	throw new UserError(`'Operation' has no option '${pair}'`, {
		description: "Choose 'Resource' and 'Operation' from their lists.",
	});
}
