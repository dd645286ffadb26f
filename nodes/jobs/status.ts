import type { Job } from '../service/types';

const FINISHED = ['completed', 'failed', 'user_taken_over', 'canceled'];

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
