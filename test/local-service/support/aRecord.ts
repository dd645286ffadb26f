import type { JobRecord } from '../../../local-service/jobs/JobRecord';

/** The record of a job that begins. */
export function aRecord(more: Partial<JobRecord> = {}): JobRecord {
	const now = Date.parse('2030-01-01T00:00:00Z');
	return {
		id: 'job_1',
		kind: 'agent',
		status: 'provisioning',
		directive: 'Find the price',
		model: 'local/model',
		liveSecret: 'live',
		historySecret: 'history',
		createdAt: now,
		updatedAt: now,
		creditsUsed: 0,
		inputTokens: 0,
		outputTokens: 0,
		output: null,
		files: [],
		...more,
	};
}
