import { UserError } from './UserError';

/** Creates the error for a stopped execution. n8n recognizes it by the word "canceled". */
export function stoppedError(what: string): UserError {
	return new UserError(`Execution canceled: ${what}`, { isStopped: true });
}
