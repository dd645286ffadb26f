import type { IDataObject } from 'n8n-workflow';

import { withoutAddress } from './responseItem';

/**
 * An item as a language model may read it: without `cdp_url`, wherever it is, and with the
 * service's own response redacted, which becomes JSON text if it has more than 20,000 characters.
 */
export function toToolItem(json: IDataObject, redactData: (data: unknown) => unknown): IDataObject {
	const shown = withoutAddress(json) as IDataObject;
	if (!('response' in shown)) return shown;
	return { ...shown, response: redactData(shown.response) as IDataObject[string] };
}
