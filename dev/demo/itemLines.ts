/** A line for each field of an item, but no links to the service, which stops with the demo. */
export function itemLines(json: object, serviceUrl: string): string[] {
	return Object.entries(json)
		.map(([field, value]) => [field, typeof value === 'string' ? value : JSON.stringify(value)])
		.filter(([, text]) => !text?.includes(serviceUrl))
		.map(([field, text]) => `${field}: ${text}`);
}
