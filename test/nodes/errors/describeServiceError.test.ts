import { describeServiceError, type CallSubject } from '../../../nodes/errors/describeServiceError';
import {
	ServiceError,
	type ServiceErrorFacts,
	type ServiceErrorKind,
} from '../../../nodes/errors/ServiceError';
import { toUserError } from '../../../nodes/errors/toNodeError';
import { UserError, type UserErrorDetails } from '../../../nodes/errors/UserError';

interface Words {
	facts?: Omit<ServiceErrorFacts, 'kind'>;
	message: string;
	description: string;
}

/** What the user reads for each kind of error, with the details that it usually has. */
const WORDS: Record<ServiceErrorKind, Words> = {
	unauthorized: {
		facts: { statusCode: 401, detail: 'no' },
		message: 'The service did not accept the API key',
		description:
			"Check 'API Key' in the Browser Agent API credential, or create a new key in the settings of the service's web platform. The response: no",
	},
	forbidden: {
		facts: { statusCode: 403, detail: 'no' },
		message: 'The API key has no permission for this',
		description: 'Use a key with the permission, or ask the owner of the account. The response: no',
	},
	insufficientCredits: {
		facts: { statusCode: 402, detail: 'no' },
		message: 'The account has too few credits',
		description: "Add credits in the service's web platform. The response: no",
	},
	notFound: {
		facts: { statusCode: 404, detail: 'no' },
		message: 'This address was not found',
		description:
			"Check the ID and 'Base URL', and that the API key belongs to the same account. The response: no",
	},
	foreignNotFound: {
		facts: { statusCode: 404, detail: 'a web page' },
		message: 'The service was not found at its address (HTTP 404)',
		description:
			"Check 'Base URL' in the Browser Agent API credential, and any gateway in front of the service. The response: a web page",
	},
	invalid: {
		facts: { statusCode: 400, detail: 'no' },
		message: 'The service did not accept the request: no',
		description: "Check the node's parameters.",
	},
	rateLimited: {
		facts: { statusCode: 429, detail: 'no' },
		message: 'Rate limit exceeded for this account',
		description:
			'Try again in 60 s, and check whether other workflows or programs use the same key. The response: no',
	},
	serverError: {
		facts: { statusCode: 503, detail: 'no' },
		message: 'The service failed to process the request (HTTP 503)',
		description: "The problem is on the service's side. Try again later. The response: no",
	},
	redirect: {
		facts: { statusCode: 301 },
		message: 'The service answered with a redirect (HTTP 301), which is not followed',
		description:
			"Enter the address that it redirects to as 'Base URL' in the Browser Agent API credential.",
	},
	rejected: {
		facts: { statusCode: 409, detail: 'no' },
		message: 'The service rejected the request (HTTP 409)',
		description:
			"Check the node's parameters and 'Base URL' in the Browser Agent API credential. The response: no",
	},
	proxyUnauthorized: {
		facts: { statusCode: 407, detail: 'no' },
		message: 'A proxy between n8n and the service requires a login (HTTP 407)',
		description:
			"Check the login in n8n's HTTP_PROXY and HTTPS_PROXY, or add the service's host to NO_PROXY.",
	},
	unreachable: {
		facts: { detail: 'the connection was refused' },
		message: 'The service could not be reached: the connection was refused',
		description:
			"Check 'Base URL' in the Browser Agent API credential, and that n8n can reach that address.",
	},
	notSent: {
		facts: { detail: "'API Key' is empty" },
		message: "The request was not sent: 'API Key' is empty",
		description:
			"Check the Browser Agent API credential, and which addresses n8n's administrator allows.",
	},
	timeout: {
		message: 'The service did not respond in time',
		description: 'Try again later. The service may be busy or the network slow.',
	},
	connectionLost: {
		message: 'The connection to the service was lost before the response was complete',
		description: 'Try again. If it happens often, check the network and any proxies.',
	},
	encryptionFailed: {
		message: 'The encrypted connection to the service failed',
		description:
			"Check 'Base URL' in the Browser Agent API credential: the port may expect http:// instead of https://.",
	},
	unreadable: {
		facts: { detail: 'a web page' },
		message: "The service's response could not be read",
		description:
			"Check 'Base URL' in the Browser Agent API credential: something else may be responding there. The response: a web page",
	},
	queueTimeout: {
		message: "The request could not be sent in time within the account's rate limit",
		description:
			'Nothing was sent. Use the same key for fewer items or workflows at the same time, or raise the time limit.',
	},
	tooLarge: {
		facts: { detail: 'over 5 MB' },
		message: "The service's response is too large (over 5 MB)",
		description: "Check 'Base URL' in the Browser Agent API credential.",
	},
	tooSlow: {
		facts: { detail: 'less than 30 kB arrived in 30 seconds' },
		message: 'less than 30 kB arrived in 30 seconds',
		description: "Try again later, or check the job's files in the service's web platform.",
	},
	invalidLink: {
		facts: { detail: 'it has no link' },
		message: 'it has no link',
		description: "Try again later, or check the job's files in the service's web platform.",
	},
	aborted: { message: 'Execution canceled', description: 'The request was aborted.' },
};

const EXAMPLES = Object.entries(WORDS).map(
	([kind, words]): [ServiceErrorKind, ServiceErrorFacts, Words] => [
		kind as ServiceErrorKind,
		{ kind: kind as ServiceErrorKind, ...words.facts },
		words,
	],
);

function describeFacts(facts: ServiceErrorFacts, subject?: CallSubject) {
	const { message, details } = describeServiceError(new ServiceError(facts), subject);
	return { message, ...details };
}

describe('describeServiceError', () => {
	it.each(EXAMPLES)('%s has its own message and advice', (_kind, facts, words) => {
		const { message, description, statusCode } = describeFacts(facts);

		expect({ message, description }).toEqual({
			message: words.message,
			description: words.description,
		});
		expect(statusCode).toBe(facts.statusCode);
	});

	it.each<[ServiceErrorKind, string]>([
		['invalid', 'The service did not accept the request'],
		['unreadable', "The service's response could not be read"],
		['tooLarge', "The service's response is too large"],
		['unauthorized', 'The service did not accept the API key'],
	])('%s without a detail says nothing of one', (kind, message) => {
		const described = describeFacts({ kind });

		expect(described.message).toBe(message);
		expect(described.description).toMatch(/[^:]\.$/);
		expect(described.description).not.toMatch(/undefined|says|The response/);
	});

	it.each(EXAMPLES)('%s names its job once, and as data', (_kind, facts) => {
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
		['a workflow', { subject: 'Workflow wf_1' }, 'Workflow wf_1 was not found'],
	])('notFound names %s', (_label, subject, message) => {
		expect(describeFacts({ kind: 'notFound', detail: 'no' }, subject)).toMatchObject({
			message,
			description:
				"Check the ID and 'Base URL', and that the API key belongs to the same account. The response: no",
		});
	});

	it.each<[string, CallSubject, string, string]>([
		[
			'the start of an agent',
			{ action: 'start' },
			'The account has too few credits to start a job',
			"Nothing was started. Add credits in the service's web platform, or choose a model with fewer credits per step.",
		],
		[
			'the start of a workflow, which has no model to choose',
			{ action: 'start', subject: 'Workflow wf_1' },
			'The account has too few credits to start a job',
			"Nothing was started. Add credits in the service's web platform.",
		],
		[
			'a resume',
			{ action: 'resume', jobId: 'job_7' },
			'Job job_7: The account has too few credits to resume it',
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
			const describe = (action: 'pause' | 'resume') =>
				describeFacts(facts, { action, jobId: 'job_7' });

			expect(describe('pause')).toMatchObject({
				message: 'Job job_7 could not be paused: no',
				description: 'Only a running job can be paused. Check its status with Job: Get Status.',
			});
			expect(describe('resume')).toMatchObject({
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

	it('is a stop for aborted only', () => {
		const stops = EXAMPLES.filter(([_kind, facts]) => describeFacts(facts).isStop);

		expect(stops.map(([kind]) => kind)).toEqual(['aborted']);
	});
});

describe('toUserError of a file', () => {
	const TRY_AGAIN = "Try again later, or check the job's files in the service's web platform.";

	it.each<[string, ServiceErrorFacts, string, string]>([
		[
			'that is too large',
			{ kind: 'tooLarge', detail: 'over 5 MB' },
			'it is larger than the limit (over 5 MB)',
			"Raise 'Max File Size (MB)', or leave the file out.",
		],
		[
			'whose host is unreachable',
			{ kind: 'unreachable', detail: 'the connection was refused' },
			'the connection was refused',
			TRY_AGAIN,
		],
		['that is incomplete', { kind: 'timeout' }, 'the download was incomplete', TRY_AGAIN],
		[
			'that is not there',
			{ kind: 'notFound', statusCode: 404, detail: 'a web page' },
			'HTTP 404',
			TRY_AGAIN,
		],
		[
			'with an invalid link',
			{ kind: 'invalidLink', detail: 'it has no link' },
			'it has no link',
			TRY_AGAIN,
		],
		['after a Stop', { kind: 'aborted' }, 'Execution canceled', 'The request was aborted.'],
	])('names the file and its job, for a file %s', (_label, facts, message, description) => {
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
			'an error in words already',
			new UserError('Job job_7 has more than 1000 files', { jobIds: ['job_7'] }),
			'Job job_7 has more than 1000 files',
		],
	])('keeps the message of anything else: %s', (_label, thrown, message) => {
		const error = toUserError(thrown, { jobId: 'job_7', filename: 'a.pdf' });

		expect(error.message).toBe(`File 'a.pdf' of job job_7 could not be downloaded: ${message}`);
		expect(error.details).toEqual({ jobIds: ['job_7'] });
	});
});
