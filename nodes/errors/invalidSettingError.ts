import { UserError } from './UserError';

/** Creates the error of a setting that can't be used. It tells n8n's scheduler not to retry. */
export function invalidSettingError(message: string, description: string): UserError {
	return new UserError(message, { description, failure: { cause: 'configuration-invalid' } });
}
