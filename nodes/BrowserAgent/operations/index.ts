import type { INodeProperties } from 'n8n-workflow';

import { toPlainText } from '../../errors/plainText';
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

const MAX_CHARACTERS_SHOWN = 80;

/** All operations, by resource, the default one first. */
const OPERATIONS = new Map<string, Operation[]>([
	['account', [getCreditBalance]],
	['agent', [runAgent]],
	['job', [getJob, pauseJob, resumeJob, waitForJob]],
	['jobFile', [getAllJobFiles, downloadFiles]],
	['service', [getHealth]],
	['workflow', [runWorkflow]],
]);

/** Throws a `UserError` for a pair that is not in the table, as an expression may give. */
export function findOperation(resource: unknown, operation: unknown): Operation {
	const found = OPERATIONS.get(toText(resource))?.find(({ option }) => option.value === operation);
	if (found !== undefined) return found;
	const pair = toPlainText(`${toText(resource)}: ${toText(operation)}`, MAX_CHARACTERS_SHOWN);
	throw new UserError(`'Operation' has no option '${pair}'`, {
		description: "Choose 'Resource' and 'Operation' from their lists.",
	});
}

const dropdown: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: '',
};

/** The Operation dropdown of each resource, and the fields of all operations. */
export const operationFields: INodeProperties[] = [
	...[...OPERATIONS].map(toDropdown),
	...[...OPERATIONS].flatMap(([resource, operations]) =>
		operations.flatMap(({ option, fields }) =>
			fields.map((field) => shownFor(resource, String(option.value), field)),
		),
	),
];

function toDropdown([resource, operations]: [string, Operation[]]): INodeProperties {
	const options = operations.map(({ option }) => option);
	return {
		...dropdown,
		displayOptions: { show: { resource: [resource] } },
		default: options[0]?.value ?? '',
		options: options.sort((one, other) => (one.name < other.name ? -1 : 1)),
	};
}

function shownFor(resource: string, operation: string, field: INodeProperties): INodeProperties {
	const show = { ...field.displayOptions?.show, resource: [resource], operation: [operation] };
	return { ...field, displayOptions: { ...field.displayOptions, show } };
}
