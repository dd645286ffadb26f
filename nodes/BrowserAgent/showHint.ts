import type { IExecuteFunctions } from 'n8n-workflow';

/** Shows the user a hint beside the output. Does nothing in older versions of n8n. */
export function showHint(context: IExecuteFunctions, message: string): void {
	context.addExecutionHints?.({ message, type: 'info', location: 'outputPane' });
}
