import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { NodeFailure } from '../../errors/NodeFailure';
import { MAX_NAME_CHARACTERS, toPlainText } from '../../errors/plainText';
import { propertiesOf, shownWhen } from '../../parameters/field';
import { toText } from '../../parameters/values';
import { getCreditBalanceOperation } from './account';
import { runAgentOperation } from './agent';
import { getJobOperation, pauseJobOperation, resumeJobOperation, waitForJobOperation } from './job';
import { downloadFilesOperation, getAllJobFilesOperation } from './jobFile';
import type { Operation } from './Operation';
import { getHealthOperation } from './service';
import { runWorkflowOperation } from './workflow';

/** One entry of the Resource dropdown, with its operations. */
interface Resource {
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
const RESOURCES: Resource[] = [
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
 * Returns an operation of the table. Throws a `NodeFailure` if it is not there: the values may come
 * from an expression.
 */
export function findOperation(resource: unknown, operation: unknown): Operation {
	const { operations = [] } = RESOURCES.find(({ option }) => option.value === resource) ?? {};
	const found = operations.find(({ option }) => option.value === operation);
	if (found !== undefined) return found;
	const pair = toPlainText(`${toText(resource)}: ${toText(operation)}`, MAX_NAME_CHARACTERS);
	throw new NodeFailure(`'Operation' has no option '${pair}'`, {
		description: "Choose 'Resource' and 'Operation' from their lists.",
	});
}

/** The Resource dropdown. */
export const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: RESOURCES.map(({ option }) => option),
	default: 'agent',
};

const dropdown: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: '',
};

/** The Operation dropdown of each resource, then the fields of all operations. */
export const operationFields: INodeProperties[] = [
	...RESOURCES.map(toDropdown),
	...RESOURCES.flatMap(({ option: resource, operations }) =>
		operations.flatMap(({ option, fields }) =>
			propertiesOf(fields).map((field) =>
				shownWhen(field, { resource: [resource.value], operation: [option.value] }),
			),
		),
	),
];

const SUBTITLES = Object.fromEntries(
	RESOURCES.flatMap(({ option: resource, operations }) =>
		operations.map(({ option }) => [
			`${String(resource.value)} ${String(option.value)}`,
			`${resource.name}: ${option.name}`,
		]),
	),
);

/** What n8n shows below the node's name, e.g. "Job: Get Status". */
export const subtitle = `={{ (${JSON.stringify(SUBTITLES)})[$parameter["resource"] + " " + $parameter["operation"]] }}`;

function toDropdown({ option: resource, operations, defaultOperation }: Resource): INodeProperties {
	const selected = defaultOperation ?? operations[0];
	return {
		...dropdown,
		displayOptions: { show: { resource: [String(resource.value)] } },
		default: selected?.option.value ?? '',
		options: operations.map(({ option }) => option),
	};
}
