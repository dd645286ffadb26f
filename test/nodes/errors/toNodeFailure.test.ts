import { NodeFailure } from '../../../nodes/errors/NodeFailure';
import {
	ServiceError,
	type FailureFacts,
	type ServiceErrorKind,
} from '../../../nodes/errors/ServiceError';
import { toNodeFailure, type CallSubject } from '../../../nodes/errors/toNodeFailure';

function describeFacts(facts: FailureFacts, subject?: CallSubject) {
	const { message, details } = toNodeFailure(new ServiceError(facts), subject);
	return { message, ...details };
}

// The words for each kind, and what n8n reads of it, are in serviceErrorKinds.golden.json.
describe('toNodeFailure of a failed call', () => {
	it('names a job whose ID occurs in the message', () => {
		const { message } = describeFacts({ kind: 'serverError', statusCode: 503 }, { jobId: '503' });

		expect(message).toBe('Job 503: The service failed to process the request (HTTP 503)');
	});

	it.each<[ServiceErrorKind, string, string]>([
		['unreachable', 'SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
		['unreachable', 'CERT_HAS_EXPIRED', 'must renew the certificate'],
		['connectionLost', 'EPROTO', 'the port may expect http:// instead of https://'],
	])('%s with the code %s says what to do: %s', (kind, code, advice) => {
		expect(describeFacts({ kind, code }).description).toContain(advice);
	});

	it.each([
		[1_200, '2 s'],
		[0, '1 s'],
	])('rateLimited says when to try again, in whole seconds: %i ms', (retryAfterMs, seconds) => {
		const { description } = describeFacts({ kind: 'rateLimited', retryAfterMs });

		expect(description).toContain(`Try again in ${seconds},`);
	});
});

describe('toNodeFailure of a file', () => {
	it.each([
		['an unexpected error', new Error('The disk is full')],
		['an error of ours', new NodeFailure('The disk is full', { jobIds: ['job_7'] })],
	])('keeps the message of anything else: %s', (_label, thrown) => {
		const error = toNodeFailure(thrown, { jobId: 'job_7', filename: 'a.pdf' });

		expect(error.message).toBe(
			"File 'a.pdf' of job job_7 could not be downloaded: The disk is full",
		);
		expect(error.details).toMatchObject({ jobIds: ['job_7'], filename: 'a.pdf' });
	});
});
