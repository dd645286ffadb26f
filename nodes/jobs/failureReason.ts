import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';

/** Returns why a job failed, safe to show; undefined if the service did not say why. */
export function failureReason(client: ServiceClient, { error }: Job): string | undefined {
	const text = typeof error === 'string' ? error : (JSON.stringify(error) ?? '');
	const reason = client.redactor.toPlainText(text);
	return reason === '' ? undefined : reason;
}
