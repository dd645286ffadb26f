import type { IExecuteFunctions } from 'n8n-workflow';

/** Shows the user a hint beside the output. Does nothing in versions of n8n without such hints. */
export function showHint(context: IExecuteFunctions, message: string): void {
	context.addExecutionHints?.({ message, type: 'info', location: 'outputPane' });
}
