import { UserError } from './UserError';

/** Creates the error for an unusable setting. It tells n8n's scheduler not to retry. */
export function configurationError(message: string, description: string): UserError {
	return new UserError(message, { description, failure: { cause: 'configuration-invalid' } });
}
