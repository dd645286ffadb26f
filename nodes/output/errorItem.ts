import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { toNodeError, type ErrorPlace } from '../errors/toNodeError';
import { UserError } from '../errors/UserError';

/**
 * The item of a failed input item, for Continue On Fail in both forms. n8n sends an item with `error`
 * to the error output, and makes the message its JSON.
 */
export function toErrorItem(error: UserError, place: ErrorPlace, item: number): INodeExecutionData {
	const ofItem = new UserError(error.message, { ...error.details, itemIndex: item });
	const nodeError = toNodeError(ofItem, place);
	const json: IDataObject = { error: nodeError.message };
	return { json, error: nodeError, pairedItem: { item } };
}
