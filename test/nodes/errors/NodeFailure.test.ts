import { NodeFailure } from '../../../nodes/errors/NodeFailure';

describe('NodeFailure.withMore', () => {
	it('adds sentences and names each job once', () => {
		const error = new NodeFailure('Job job_1 failed', {
			description: 'See its history.',
			jobIds: ['job_1'],
			statusCode: 500,
		});

		const added = error.withMore(['Jobs so far: job_1, job_2.', ''], ['job_1', 'job_2']);

		expect(added.message).toBe('Job job_1 failed');
		expect(added.details).toEqual({
			description: 'See its history. Jobs so far: job_1, job_2.',
			jobIds: ['job_1', 'job_2'],
			statusCode: 500,
		});
	});

	it('ends what the description quotes before the sentence', () => {
		const quoting = new NodeFailure('Gone', { description: 'Response: No plan (free)' });

		const { description } = quoting.withMore(['The job is paused.'], []).details;

		expect(description).toBe('Response: No plan (free). The job is paused.');
	});

	it('gives an error without a description the sentence as one', () => {
		const { details } = new NodeFailure('Gone').withMore(['Jobs so far: job_1.'], ['job_1']);

		expect(details).toEqual({ description: 'Jobs so far: job_1.', jobIds: ['job_1'] });
	});
});
