import { describeServiceError, type CallSubject } from '../../../nodes/errors/describeServiceError';
import {
	ServiceError,
	type ServiceErrorFacts,
	type ServiceErrorKind,
} from '../../../nodes/errors/ServiceError';
import { SERVICE_ERROR_KINDS } from '../../../nodes/errors/serviceErrorKinds';
import { toUserError } from '../../../nodes/errors/toNodeError';
import { UserError, type UserErrorDetails } from '../../../nodes/errors/UserError';

const KINDS = Object.keys(SERVICE_ERROR_KINDS) as ServiceErrorKind[];

function describeFacts(facts: ServiceErrorFacts, subject?: CallSubject) {
	const { message, details } = describeServiceError(new ServiceError(facts), subject);
	return { message, ...details };
}

// The words for each kind are in serviceErrorKinds.golden.json.
describe('describeServiceError', () => {
	it.each(KINDS)('%s names its job once in the message and once as data', (kind) => {
		const { message, jobIds } = describeFacts({ kind }, { jobId: 'job_7' });

		expect(message.match(/[Jj]ob job_7\b/g)).toHaveLength(1);
		expect(jobIds).toEqual(['job_7']);
	});

	it('names a job whose ID occurs in the message', () => {
		const { message } = describeFacts({ kind: 'serverError', statusCode: 503 }, { jobId: '503' });

		expect(message).toBe('Job 503: The service failed to process the request (HTTP 503)');
	});

	it.each<[string, ServiceErrorFacts, RegExp, RegExp]>([
		[
			'what a response says, in the description',
			{ kind: 'rejected', statusCode: 422, detail: 'Too wide' },
			/^The service did not accept the request \(HTTP 422\)$/,
			/ Response: Too wide$/,
		],
		[
			'what a success says that is none, in the description',
			{ kind: 'rejected', statusCode: 200, detail: 'No session' },
			/^The service did not accept the request \(HTTP 200\)$/,
			/ Response: No session$/,
		],
		[
			'why there was no response, in the message',
			{ kind: 'notSent', detail: 'It is blocked' },
			/: It is blocked$/,
			/\.$/,
		],
		[
			'nothing of a web page',
			{ kind: 'notFound', statusCode: 404, isPage: true, detail: 'a web page' },
			/^This URL was not found$/,
			/account\.$/,
		],
		['nothing if there is nothing', { kind: 'unreachable' }, /reached$/, /environment\.$/],
	])('quotes %s', (_label, facts, message, description) => {
		const described = describeFacts(facts);

		expect(described.message).toMatch(message);
		expect(described.description).toMatch(description);
	});

	it.each<[ServiceErrorKind, string, string]>([
		['unreachable', 'SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
		['unreachable', 'CERT_HAS_EXPIRED', 'must renew the certificate'],
		['unreachable', 'ECONNREFUSED', 'HTTPS_PROXY, HTTP_PROXY and NO_PROXY'],
		['connectionLost', 'EPROTO', 'the port may expect http:// instead of https://'],
	])('%s with the code %s says what to do: %s', (kind, code, advice) => {
		expect(describeFacts({ kind, code }).description).toContain(advice);
	});

	it('notFound says so if something in front of the service has responded', () => {
		const facts = { kind: 'notFound', statusCode: 404, isFromService: false } as const;

		expect(describeFacts(facts, { jobId: 'job_7' })).toMatchObject({
			message: "Job job_7: The service was not found at 'Base URL' (HTTP 404)",
			failure: { cause: 'temporarily-unavailable' },
		});
	});

	it.each([
		['as long as the service asks for', 12_000, '12 s'],
		['rounded up to whole seconds', 1_200, '2 s'],
	])('rateLimited says when to try again: %s', (_label, retryAfterMs, wait) => {
		const { description } = describeFacts({ kind: 'rateLimited', retryAfterMs });

		expect(description).toContain(`Try again in ${wait},`);
	});

	it.each<[ServiceErrorKind, UserErrorDetails['failure']]>([
		['rateLimited', { cause: 'rate-limited', retryAfterMs: 7 }],
		['serverError', { cause: 'temporarily-unavailable', retryAfterMs: 7 }],
	])("%s tells n8n's scheduler when to try again", (kind, failure) => {
		expect(describeFacts({ kind, retryAfterMs: 7 }).failure).toEqual(failure);
	});

	it('marks only `aborted` as a stop', () => {
		const stops = KINDS.filter((kind) => describeFacts({ kind }).isStopped);

		expect(stops).toEqual(['aborted']);
	});
});

describe('toUserError of a file', () => {
	it('has the job of the file, and advice for a certificate', () => {
		const facts = { kind: 'unreachable', code: 'CERT_UNTRUSTED', detail: 'untrusted' } as const;

		const error = toUserError(new ServiceError(facts), { jobId: 'job_7', filename: 'a.pdf' });

		expect(error).toMatchObject({
			message: "File 'a.pdf' of job job_7 could not be downloaded: untrusted",
			details: {
				description: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
				jobIds: ['job_7'],
			},
		});
	});

	it.each([
		['an error', new Error('The disk is full'), 'The disk is full'],
		['a text', 'out of order', 'out of order'],
		[
			'an error of ours',
			new UserError('Job job_7 has more than 1000 files', { jobIds: ['job_7'] }),
			'Job job_7 has more than 1000 files',
		],
	])('keeps the message of anything else: %s', (_label, thrown, message) => {
		const error = toUserError(thrown, { jobId: 'job_7', filename: 'a.pdf' });

		expect(error.message).toBe(`File 'a.pdf' of job job_7 could not be downloaded: ${message}`);
		expect(error.details).toEqual({ jobIds: ['job_7'] });
	});
});
