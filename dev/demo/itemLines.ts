/** A line per field of an item, without links to the sandbox, which ends with the demo. */
export function itemLines(json: object, sandboxUrl: string): string[] {
	return Object.entries(json)
		.map(([field, value]) => [field, typeof value === 'string' ? value : JSON.stringify(value)])
		.filter(([, text]) => !text?.includes(sandboxUrl))
		.map(([field, text]) => `${field}: ${text}`);
}
