import type { Job } from '../client/types';

const FINISHED = ['completed', 'failed', 'user_taken_over', 'canceled'];

/**
 * A status in the one spelling we use: `cancelled` is `canceled` (service-interface.md knows it
 * from an example only), everything else stays as the service wrote it.
 */
export function toStatus(status: string): string {
	return status === 'cancelled' ? 'canceled' : status;
}

/** Whether nothing more will happen. An unknown status is one of a job that goes on. */
export function isFinished({ status }: Pick<Job, 'status'>): boolean {
	return FINISHED.includes(status);
}

export function isSuccessful({ status }: Pick<Job, 'status'>): boolean {
	return status === 'completed';
}

export function isPaused({ status }: Pick<Job, 'status'>): boolean {
	return status === 'paused';
}
