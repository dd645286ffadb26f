import type { INodeProperties } from 'n8n-workflow';

import { shownWhen } from '../../parameters/field';
import { RESOURCES, type Resource } from './index';

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
			fields.map((field) =>
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
