import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';

/** Why a job has failed, as text that is safe to show; '' if the service has not said so. */
export function failureReason(client: ServiceClient, { error }: Job): string {
	return client.redactor.toPlainText(
		typeof error === 'string' ? error : (JSON.stringify(error) ?? ''),
	);
}
