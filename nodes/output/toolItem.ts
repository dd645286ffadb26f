import type { IDataObject } from 'n8n-workflow';

import { withoutCdpUrls } from './responseItem';

/**
 * Returns an item in the form passed to a language model: without `cdp_url` fields, however deep,
 * and with the service's own `response` redacted. A response of more than 20,000 characters becomes
 * JSON text.
 */
export function toToolItem(json: IDataObject, redactData: (data: unknown) => unknown): IDataObject {
	const shown = withoutCdpUrls(json) as IDataObject;
	if (!('response' in shown)) return shown;
	return { ...shown, response: redactData(shown.response) as IDataObject[string] };
}
