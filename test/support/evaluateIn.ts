import '../../dev/engine/quietEngine';

import type { INodeParameters, INodeType } from 'n8n-workflow';

import { createNode, createWorkflow } from '../../dev/engine/engine';

const TYPE = 'test.described';

/**
 * Evaluates an expression of a node's description as the editor does, with these parameters.
 */
export function evaluateIn(
	nodeType: INodeType,
	parameters: INodeParameters,
	expression: string,
): unknown {
	const node = createNode('Described', TYPE, { parameters });
	const workflow = createWorkflow(
		{ nodes: [node], connections: {} },
		{ nodeTypes: { [TYPE]: nodeType }, credentials: {} },
	);
	const filled = workflow.getNode('Described') ?? node;
	return workflow.expression.getSimpleParameterValue(filled, expression, 'internal', {});
}

/** The hints that the editor shows for a node with these parameters, before or after a run. */
export function hintsOf(
	nodeType: INodeType,
	parameters: INodeParameters,
	when: 'beforeExecution' | 'afterExecution',
): string[] {
	const { hints = [] } = nodeType.description;
	return hints
		.filter(({ whenToDisplay = 'always' }) => ['always', when].includes(whenToDisplay))
		.filter(
			({ displayCondition }) =>
				displayCondition === undefined ||
				evaluateIn(nodeType, parameters, displayCondition) === true,
		)
		.map(({ message }) => message);
}
