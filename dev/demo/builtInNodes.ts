import {
	NodeConnectionTypes,
	type IDataObject,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

// n8n's own nodes are not among this project's packages. These two do what the demo's workflow
// needs of them; everything between is the real engine.

/** Manual Trigger: one empty item. */
export const manualTrigger: INodeType = {
	description: describe('Manual Trigger', []),

	async execute() {
		return [[{ json: {} }]];
	},
};

/** Edit Fields, in the manner of its assignments: an item of only the named fields. */
export const editFields: INodeType = {
	description: {
		...describe('Edit Fields', [NodeConnectionTypes.Main]),
		properties: [
			{
				displayName: 'Fields',
				name: 'assignments',
				type: 'assignmentCollection',
				default: {},
			},
		],
	},

	async execute(this: IExecuteFunctions) {
		return [
			this.getInputData().map((_, item) => {
				const fields = this.getNodeParameter('assignments.assignments', item, []) as IDataObject[];
				const json = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
				return { json: json as IDataObject, pairedItem: { item } };
			}),
		];
	},
};

function describe(
	displayName: string,
	inputs: INodeTypeDescription['inputs'],
): INodeTypeDescription {
	return {
		displayName,
		name: displayName,
		group: ['transform'],
		version: [1, 3.4],
		description: displayName,
		defaults: { name: displayName },
		inputs,
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	};
}
