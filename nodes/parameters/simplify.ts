import type { INodeProperties } from 'n8n-workflow';

import { toBoolean, type ParameterContext } from './readValue';

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

export function readSimplify(context: ParameterContext, itemIndex: number): boolean {
	return toBoolean(context.getNodeParameter('simplify', itemIndex, true), 'Simplify');
}
