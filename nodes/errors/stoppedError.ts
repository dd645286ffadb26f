import { UserError } from './UserError';

/** The error of a stopped execution. n8n recognizes one by the word "canceled" in its message. */
export function stoppedError(what: string): UserError {
	return new UserError(`Execution canceled: ${what}`, { isStop: true });
}
