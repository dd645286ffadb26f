import type { IExecuteFunctions } from 'n8n-workflow';

/** Returns a function that shows a hint beside the output, each text once. */
export function createHints(context: IExecuteFunctions): (message: string) => void {
	const shown = new Set<string>();
	return (message) => {
		if (shown.has(message)) return;
		shown.add(message);
		context.addExecutionHints?.({ message, type: 'info', location: 'outputPane' });
	};
}
