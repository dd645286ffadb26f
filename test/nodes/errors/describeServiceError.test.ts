import { describeServiceError, type CallSubject } from '../../../nodes/errors/describeServiceError';
import {
	ServiceError,
	type ServiceErrorFacts,
	type ServiceErrorKind,
} from '../../../nodes/errors/ServiceError';
import { toUserError } from '../../../nodes/errors/toNodeError';
import { UserError, type UserErrorDetails } from '../../../nodes/errors/UserError';

/** The details that each kind of error usually has. */
const FACTS: Record<ServiceErrorKind, Omit<ServiceErrorFacts, 'kind'>> = {
	unauthorized: { statusCode: 401, detail: 'Not so' },
	forbidden: { statusCode: 403, detail: 'Not so' },
	insufficientCredits: { statusCode: 402, detail: 'Not so' },
	notFound: { statusCode: 404, detail: 'Not so' },
	invalid: { statusCode: 400, detail: 'Not so' },
	rateLimited: { statusCode: 429, detail: 'Not so' },
	serverError: { statusCode: 503, detail: 'Not so' },
	redirect: { statusCode: 301 },
	rejected: { statusCode: 409, detail: 'Not so' },
	proxyUnauthorized: { statusCode: 407, detail: 'Not so' },
	unreachable: { detail: 'connect ECONNREFUSED 10.0.0.9:443', code: 'ECONNREFUSED' },
	notSent: { detail: "'API Key' is empty" },
	timeout: {},
	connectionLost: {},
	unreadable: { detail: 'a web page' },
	queueTimeout: {},
	tooLarge: { detail: 'over 5 MB' },
	tooSlow: { detail: 'nothing arrived for a minute' },
	invalidLink: { detail: 'it has no link' },
	aborted: {},
};

const EXAMPLES = Object.entries(FACTS).map(
	([kind, facts]): [ServiceErrorKind, ServiceErrorFacts] => [
		kind as ServiceErrorKind,
		{ kind: kind as ServiceErrorKind, ...facts },
	],
);

function describeFacts(facts: ServiceErrorFacts, subject?: CallSubject) {
	const { message, details } = describeServiceError(new ServiceError(facts), subject);
	return { message, ...details };
}

describe('describeServiceError', () => {
	it.each(EXAMPLES)(
		'%s says what happened, and in up to three sentences what to do',
		(_kind, facts) => {
			const { message, description = '', statusCode } = describeFacts(facts);

			expect(message).toMatch(/[^.]$/);
			const advice = description.replace(/ Response: .*$/, '');
			expect(advice).toMatch(/^[A-Z].*\.$/);
			expect(advice.split(/\. (?=[A-Z])/).length).toBeLessThanOrEqual(3);
			expect(statusCode).toBe(facts.statusCode);
		},
	);

	it.each(
		EXAMPLES.filter(([kind, { detail }]) => detail !== undefined && kind !== 'proxyUnauthorized'),
	)('%s quotes its detail once', (_kind, facts) => {
		const { message, description = '' } = describeFacts(facts);

		expect(`${message}\n${description}`.split(String(facts.detail))).toHaveLength(2);
	});

	it('has another message for each kind of error', () => {
		const messages = EXAMPLES.map(([_kind, facts]) => describeFacts(facts).message);

		expect(new Set(messages).size).toBe(EXAMPLES.length);
	});

	it.each<[ServiceErrorKind, string]>([
		['invalid', 'The service did not accept the request'],
		['unreadable', "The service's response could not be read"],
		['tooLarge', "The service's response is too large"],
		['unauthorized', 'The service did not accept the API key'],
	])('%s without a detail does not mention one', (kind, message) => {
		const described = describeFacts({ kind });

		expect(described.message).toBe(message);
		expect(described.description).toMatch(/[^:]\.$/);
		expect(described.description).not.toMatch(/undefined|says|The response/);
	});

	it.each(EXAMPLES)('%s names its job once in the message and once as data', (_kind, facts) => {
		const { message, jobIds } = describeFacts(facts, { jobId: 'job_7' });

		expect(message.match(/[Jj]ob job_7\b/g)).toHaveLength(1);
		expect(jobIds).toEqual(['job_7']);
	});

	it('names a job whose ID occurs in the message', () => {
		const { message } = describeFacts({ kind: 'serverError', statusCode: 503 }, { jobId: '503' });

		expect(message).toBe('Job 503: The service failed to process the request (HTTP 503)');
	});

	it.each<[string, CallSubject, string]>([
		['a job', { jobId: 'job_7' }, 'Job job_7 was not found'],
		['a workflow', { label: 'Workflow wf_1' }, 'Workflow wf_1 was not found'],
	])('notFound names %s', (_label, subject, message) => {
		expect(describeFacts({ kind: 'notFound', detail: 'no' }, subject)).toMatchObject({
			message,
			description:
				"Check the ID and 'Base URL', and that the API key is from the right account. Response: no",
		});
	});

	it('notFound says so if something in front of the service has responded', () => {
		const facts = { statusCode: 404, isFromService: false, detail: 'a web page' };

		const described = describeFacts({ kind: 'notFound', ...facts }, { jobId: 'job_7' });

		expect(described).toMatchObject({
			message: "Job job_7: The service was not found at 'Base URL' (HTTP 404)",
			description:
				"Check 'Base URL' in the Browser Agent API credential, and any gateway in front of the service. Response: a web page",
			failure: { cause: 'temporarily-unavailable' },
		});
	});

	it.each<[ServiceErrorKind, string, string]>([
		['unreachable', 'SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
		['unreachable', 'CERT_HAS_EXPIRED', 'must renew the certificate'],
		['unreachable', 'ECONNREFUSED', 'HTTPS_PROXY, HTTP_PROXY and NO_PROXY'],
		['connectionLost', 'EPROTO', 'the port may expect http:// instead of https://'],
	])('%s with the code %s says what to do: %s', (kind, code, advice) => {
		const facts = { kind, code, detail: `It failed (${code})` };

		const described = [{}, { jobId: 'job_7' }].map((subject) => describeFacts(facts, subject));

		for (const { description } of described) expect(description).toContain(advice);
	});

	it.each<[ServiceErrorKind, number]>([
		['serverError', 502],
		['serverError', 503],
		['unauthorized', 401],
		['forbidden', 403],
		['insufficientCredits', 402],
		['invalid', 400],
		['rejected', 405],
		['unreadable', 200],
	])('%s says that a web page is not from the service (HTTP %d)', (kind, statusCode) => {
		const page = { isFromService: false, isPage: true, detail: 'a web page' } as const;

		const { message, description } = describeFacts(
			{ kind, statusCode, ...page },
			{ action: 'start' },
		);

		expect(message).toBe(
			`A web page arrived instead of the service's response (HTTP ${statusCode})`,
		);
		expect(description).toBe(
			"Something in front of the service has responded, e.g. a proxy, a firewall or a login page. If it happens again, check n8n's proxy settings, and 'Base URL' in the Browser Agent API credential.",
		);
	});

	it("rejected quotes a response that reports an error, as the service's status is a success", () => {
		const described = describeFacts({ kind: 'rejected', statusCode: 200, detail: 'No session' });

		expect(described.message).toBe('The service rejected the request: No session');
	});

	it.each<[string, CallSubject, string, string]>([
		[
			'the start of an agent',
			{ action: 'start', suggestsCheaperModel: true },
			'The account has too few credits to start a job',
			"Nothing was started. Add credits in the service's web platform, or choose a model that uses fewer credits per step.",
		],
		[
			'the start of a workflow, which has no model to choose',
			{ action: 'start', label: 'Workflow wf_1' },
			'The account has too few credits to start a job',
			"Nothing was started. Add credits in the service's web platform.",
		],
		[
			'a resume',
			{ action: 'resume', jobId: 'job_7' },
			'Job job_7: The account has too few credits to resume the job',
			"Add credits in the service's web platform.",
		],
	])('insufficientCredits advises for %s', (_label, subject, message, description) => {
		expect(describeFacts({ kind: 'insufficientCredits' }, subject)).toMatchObject({
			message,
			description,
		});
	});

	it.each(['invalid', 'rejected'] as const)(
		'%s for a pause or a resume says which status the job must have',
		(kind) => {
			const facts = { kind, statusCode: 400, detail: 'no' };
			const describeAction = (action: 'pause' | 'resume') =>
				describeFacts(facts, { action, jobId: 'job_7' });

			expect(describeAction('pause')).toMatchObject({
				message: 'Job job_7 could not be paused: no',
				description: 'Only a running job can be paused. Check its status with Job: Get Status.',
			});
			expect(describeAction('resume')).toMatchObject({
				message: 'Job job_7 could not be resumed: no',
				description: 'Only a paused job can be resumed. Check its status with Job: Get Status.',
			});
		},
	);

	it.each([
		['as long as the service asks for', 12_000, '12 s'],
		['rounded up to whole seconds', 1_200, '2 s'],
	])('rateLimited says when to try again: %s', (_label, retryAfterMs, wait) => {
		const { description } = describeFacts({ kind: 'rateLimited', retryAfterMs });

		expect(description).toContain(`Try again in ${wait},`);
	});

	it.each<[ServiceErrorKind, Partial<ServiceErrorFacts>, UserErrorDetails['failure']]>([
		['rateLimited', { retryAfterMs: 7 }, { cause: 'rate-limited', retryAfterMs: 7 }],
		['serverError', { retryAfterMs: 7 }, { cause: 'temporarily-unavailable', retryAfterMs: 7 }],
		['timeout', {}, { cause: 'temporarily-unavailable' }],
		['unreachable', {}, { cause: 'temporarily-unavailable' }],
		['unauthorized', {}, { cause: 'credential-invalid' }],
		['forbidden', {}, { cause: 'credential-invalid' }],
		['notSent', {}, { cause: 'configuration-invalid' }],
		['notFound', {}, undefined],
		['aborted', {}, undefined],
	])("%s tells n8n's scheduler whether and when to try again", (kind, facts, failure) => {
		expect(describeFacts({ kind, ...facts }).failure).toEqual(failure);
	});

	it('marks only `aborted` as a stop', () => {
		const stops = EXAMPLES.filter(([_kind, facts]) => describeFacts(facts).isStopped);

		expect(stops.map(([kind]) => kind)).toEqual(['aborted']);
	});
});

describe('toUserError of a file', () => {
	const TRY_AGAIN = "Try again later, or check the job's files in the service's web platform.";

	it.each<[string, ServiceErrorFacts, string, string]>([
		[
			'is too large',
			{ kind: 'tooLarge', detail: 'over 5 MB' },
			'it is larger than the limit (over 5 MB)',
			"Raise 'Max File Size (MB)', or exclude the file with 'File Names' of Job File: Download.",
		],
		[
			'is on an unreachable host',
			{ kind: 'unreachable', detail: 'connect ECONNREFUSED 10.0.0.9:443' },
			'connect ECONNREFUSED 10.0.0.9:443',
			TRY_AGAIN,
		],
		['is incomplete', { kind: 'timeout' }, 'the download was incomplete', TRY_AGAIN],
		[
			'is not found',
			{ kind: 'notFound', statusCode: 404, detail: 'a web page' },
			'HTTP 404',
			TRY_AGAIN,
		],
		[
			'has an invalid link',
			{ kind: 'invalidLink', detail: 'it has no link' },
			'it has no link',
			TRY_AGAIN,
		],
		[
			'is being downloaded at a Stop',
			{ kind: 'aborted' },
			'Execution canceled',
			'The request was aborted.',
		],
	])('names the file and its job when the file %s', (_label, facts, message, description) => {
		const error = toUserError(new ServiceError(facts), { jobId: 'job_7', filename: 'a.pdf' });

		expect(error).toMatchObject({
			message: `File 'a.pdf' of job job_7 could not be downloaded: ${message}`,
			details: { description, jobIds: ['job_7'] },
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
