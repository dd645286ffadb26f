import type { IExecuteFunctions } from 'n8n-workflow';

/** Shows the user a hint beside the output. Older versions of n8n can't, and nothing fails. */
export function showHint(context: IExecuteFunctions, message: string): void {
	context.addExecutionHints?.({ message, type: 'info', location: 'outputPane' });
}
