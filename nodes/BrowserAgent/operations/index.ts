import type { INodeProperties } from 'n8n-workflow';

import { UserError } from '../../errors/UserError';
import { accountDropdown, accountOperations } from './account';
import { agentDropdown, agentOperations } from './agent';
import { jobDropdown, jobOperations } from './job';
import { jobFileDropdown, jobFileOperations } from './jobFile';
import type { Operation } from './operation';
import { serviceDropdown, serviceOperations } from './service';
import { workflowDropdown, workflowOperations } from './workflow';

const OPERATIONS: Record<string, Record<string, Operation>> = {
	account: accountOperations,
	agent: agentOperations,
	job: jobOperations,
	jobFile: jobFileOperations,
	service: serviceOperations,
	workflow: workflowOperations,
};

/** Throws a `UserError` for a pair that is not in the table, as a wrong expression can give. */
export function findOperation(resource: unknown, operation: unknown): Operation {
	const found = OPERATIONS[String(resource)]?.[String(operation)];
	if (found === undefined) {
		throw new UserError(`'Operation' has no choice '${String(resource)}: ${String(operation)}'`, {
			description: "Choose 'Resource' and 'Operation' from their lists.",
		});
	}
	return found;
}

/** The Operation dropdown of each resource. */
export const operationDropdowns: INodeProperties[] = [
	accountDropdown,
	agentDropdown,
	jobDropdown,
	jobFileDropdown,
	serviceDropdown,
	workflowDropdown,
];

/** The fields of all operations. */
export const operationFields: INodeProperties[] = Object.values(OPERATIONS)
	.flatMap((operations) => Object.values(operations))
	.flatMap(({ parameters }) => parameters);
