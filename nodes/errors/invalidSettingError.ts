import { UserError } from './UserError';

/** The error of a setting that can't be used. It tells n8n's scheduler that a retry can't help. */
export function invalidSettingError(message: string, description: string): UserError {
	return new UserError(message, { description, failure: { cause: 'configuration-invalid' } });
}
