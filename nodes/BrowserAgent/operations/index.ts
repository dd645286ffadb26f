import type { INodePropertyOptions } from 'n8n-workflow';

import { MAX_NAME_CHARACTERS, toPlainText } from '../../errors/plainText';
import { UserError } from '../../errors/UserError';
import { toText } from '../../parameters/values';
import { getCreditBalanceOperation } from './account/getCreditBalance';
import { runAgentOperation } from './agent/run';
import { getJobOperation } from './job/get';
import { pauseJobOperation } from './job/pause';
import { resumeJobOperation } from './job/resume';
import { waitForJobOperation } from './job/wait';
import { downloadFilesOperation } from './jobFile/download';
import { getAllJobFilesOperation } from './jobFile/getAll';
import type { Operation } from './operation';
import { getHealthOperation } from './service/getHealth';
import { runWorkflowOperation } from './workflow/run';

/** One entry of the Resource dropdown, with its operations. */
export interface Resource {
	option: INodePropertyOptions;
	operations: Operation[];
	/**
	 * The preselected operation. Default: the first one. It must never change: n8n saves workflows
	 * without default values.
	 */
	defaultOperation?: Operation;
}

/**
 * All resources. They are not in alphabetical order, unlike the operations of each, but the most
 * used come first: n8n's panel lists the actions in this order and preselects the first one.
 */
export const RESOURCES: Resource[] = [
	{ option: { name: 'Agent', value: 'agent' }, operations: [runAgentOperation] },
	{ option: { name: 'Saved Workflow', value: 'workflow' }, operations: [runWorkflowOperation] },
	{
		option: { name: 'Job', value: 'job' },
		operations: [getJobOperation, pauseJobOperation, resumeJobOperation, waitForJobOperation],
	},
	{
		option: { name: 'Job File', value: 'jobFile' },
		operations: [downloadFilesOperation, getAllJobFilesOperation],
		defaultOperation: getAllJobFilesOperation,
	},
	{ option: { name: 'Account', value: 'account' }, operations: [getCreditBalanceOperation] },
	{ option: { name: 'Service', value: 'service' }, operations: [getHealthOperation] },
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
