import { BrowserAgent } from '../../../nodes/BrowserAgent/BrowserAgent.node';
import { describeServiceError, type CallSubject } from '../../../nodes/errors/describeServiceError';
import {
	ServiceError,
	type ServiceErrorFacts,
	type ServiceErrorKind,
} from '../../../nodes/errors/ServiceError';

function describeFacts(facts: ServiceErrorFacts, about?: CallSubject) {
	const { message, details } = describeServiceError(new ServiceError(facts), about);
	return { message, ...details };
}

/** One example of everything that can come of a call. */
const EXAMPLES: ServiceErrorFacts[] = [
	{ kind: 'invalid', statusCode: 422 },
	{ kind: 'unauthorized', statusCode: 401 },
	{ kind: 'insufficientCredits', statusCode: 402 },
	{ kind: 'forbidden', statusCode: 403 },
	{ kind: 'notFound', statusCode: 404 },
	{ kind: 'rateLimited', statusCode: 429 },
	{ kind: 'serverError', statusCode: 503 },
	{ kind: 'redirect', statusCode: 302 },
	{ kind: 'rejected', statusCode: 409 },
	{ kind: 'unreachable', detail: 'the connection was refused' },
	{ kind: 'notSent', detail: "'API Key' is empty" },
	{ kind: 'timeout' },
	{ kind: 'connectionLost' },
	{ kind: 'unreadable' },
	{ kind: 'queueTimeout' },
	{ kind: 'stopped' },
];

describe('a call that did not succeed', () => {
	it.each<[ServiceErrorKind, ServiceErrorFacts, string, string]>([
		[
			'unauthorized',
			{ kind: 'unauthorized', statusCode: 401 },
			'The service did not accept the API key',
			"'API Key'",
		],
		[
			'insufficientCredits',
			{ kind: 'insufficientCredits', statusCode: 402 },
			'The account has too few credits',
			'Nothing was started.',
		],
		[
			'forbidden',
			{ kind: 'forbidden', statusCode: 403 },
			'The API key has no permission for this',
			'Use a key with the permission',
		],
		[
			'notFound',
			{ kind: 'notFound', statusCode: 404 },
			'The service has nothing at this address',
			"'Base URL'",
		],
		[
			'invalid',
			{ kind: 'invalid', statusCode: 400 },
			'The service did not accept the request',
			"Check the node's parameters.",
		],
		[
			'rateLimited',
			{ kind: 'rateLimited', statusCode: 429 },
			'Rate limit exceeded for this account',
			'Try again in a minute',
		],
		[
			'serverError',
			{ kind: 'serverError', statusCode: 503 },
			'The service failed to process the request (HTTP 503)',
			'Try again later.',
		],
		[
			'redirect',
			{ kind: 'redirect', statusCode: 301 },
			'The service answered with a redirect (HTTP 301), which is not followed',
			"'Base URL'",
		],
		[
			'rejected',
			{ kind: 'rejected', statusCode: 409 },
			'The service rejected the request (HTTP 409)',
			"Check the node's parameters",
		],
		[
			'unreachable',
			{ kind: 'unreachable', detail: 'the connection was refused' },
			'The service could not be reached: the connection was refused',
			"'Base URL'",
		],
		[
			'notSent',
			{ kind: 'notSent', detail: "'API Key' is empty" },
			"The request was not sent: 'API Key' is empty",
			'Browser Agent API credential',
		],
		['timeout', { kind: 'timeout' }, 'The service did not respond in time', 'Try again later.'],
		[
			'connectionLost',
			{ kind: 'connectionLost' },
			'The connection to the service was lost before the response was complete',
			'Try again.',
		],
		[
			'unreadable',
			{ kind: 'unreadable' },
			"The service's response could not be read",
			"'Base URL'",
		],
		[
			'queueTimeout',
			{ kind: 'queueTimeout' },
			"The request did not get its turn within the account's rate limit in time",
			'Nothing was sent.',
		],
	])('has words of its own: %s', (_kind, facts, message, advice) => {
		const told = describeFacts(facts);

		expect(told.message).toBe(message);
		expect(told.description).toContain(advice);
		expect(told.statusCode).toBe(facts.statusCode);
	});

	it('is told from every other one by its message', () => {
		const messages = EXAMPLES.map((facts) => describeFacts(facts).message);

		expect(new Set(messages).size).toBe(EXAMPLES.length);
	});

	it.each(EXAMPLES.map((facts): [string, ServiceErrorFacts] => [facts.kind, facts]))(
		'names the job it was about, in words and as data: %s',
		(_kind, facts) => {
			const told = describeFacts(facts, { jobId: 'job_7' });

			expect(told.message).toContain('job_7');
			expect(told.message.match(/job_7/g)).toHaveLength(1);
			expect(told.jobIds).toEqual(['job_7']);
		},
	);

	it.each(EXAMPLES.map((facts): [string, ServiceErrorFacts] => [facts.kind, facts]))(
		'is told without blame: %s',
		(_kind, facts) => {
			const { message, description } = describeFacts(facts);

			expect(`${message} ${description}`).not.toMatch(/error|failure|invalid|illegal|wrong/i);
		},
	);

	it.each<[string, ServiceErrorFacts, object | undefined]>([
		[
			'rateLimited',
			{ kind: 'rateLimited', retryAfterMs: 7 },
			{ cause: 'rate-limited', retryAfterMs: 7 },
		],
		['rateLimited', { kind: 'rateLimited' }, { cause: 'rate-limited' }],
		[
			'serverError',
			{ kind: 'serverError', retryAfterMs: 7 },
			{ cause: 'temporarily-unavailable', retryAfterMs: 7 },
		],
		['timeout', { kind: 'timeout' }, { cause: 'temporarily-unavailable' }],
		['unreachable', { kind: 'unreachable' }, { cause: 'temporarily-unavailable' }],
		['unauthorized', { kind: 'unauthorized' }, { cause: 'credential-invalid' }],
		['forbidden', { kind: 'forbidden' }, { cause: 'credential-invalid' }],
		['notSent', { kind: 'notSent' }, { cause: 'configuration-invalid' }],
		['notFound', { kind: 'notFound' }, undefined],
		['stopped', { kind: 'stopped' }, undefined],
	])("tells n8n's scheduler whether and when to try again: %s", (_kind, facts, failure) => {
		expect(describeFacts(facts).failure).toEqual(failure);
	});

	it('is a stop only when the execution was stopped', () => {
		const stops = EXAMPLES.filter((facts) => describeFacts(facts).isStop === true);

		expect(stops.map(({ kind }) => kind)).toEqual(['stopped']);
	});

	describe('for something that the service does not know', () => {
		it.each<[string, CallSubject, string, string]>([
			['a job', { jobId: 'job_7' }, 'Job job_7 was not found', "Check 'Job ID'"],
			['a workflow', { subject: 'workflow wf_1' }, 'Workflow wf_1 was not found', 'Check the ID'],
		])('names it: %s', (_label, about, message, advice) => {
			const told = describeFacts({ kind: 'notFound', statusCode: 404 }, about);

			expect(told.message).toBe(message);
			expect(told.description).toContain(advice);
		});
	});

	describe('for a rate limit', () => {
		it.each([
			['as long as the service asks for', 12_000, '12 s'],
			['rounded up to whole seconds', 1_200, '2 s'],
			['a second at least', 0, '1 s'],
			['a minute, when the service does not say', undefined, 'a minute'],
		])('says when to try again: %s', (_label, retryAfterMs, wait) => {
			const { description } = describeFacts({ kind: 'rateLimited', retryAfterMs });

			expect(description).toContain(`Try again in ${wait},`);
		});
	});

	describe('for a field', () => {
		it.each([
			['a field of the browser', 'browser_config.width', "'Width'"],
			['one of two kinds of a field', 'browser_config.residential_ip.str', "'Residential IP'"],
			['a field at the top', 'directive', "'Directive'"],
			['a job in the address', 'path.job_id', "'Job ID'"],
			['a place that is no field of ours', 'query.page', "'query.page'"],
			['a place in a list', 'tags.0', "'tags.0'"],
			['a place with a name that every object has', 'constructor', "'constructor'"],
		])('says its name as on the screen: %s', (_label, place, name) => {
			const told = describeFacts({
				kind: 'invalid',
				statusCode: 422,
				fieldErrors: [{ place, reason: 'Input should be smaller' }],
			});

			expect(told.message).toBe(`The service did not accept ${name}: Input should be smaller`);
			expect(told.description).toBe('Change the parameters named here and run the node again.');
		});

		it('says only the reason when there is no place', () => {
			const fieldErrors = [{ place: '', reason: 'The request is empty' }];

			const told = describeFacts({ kind: 'invalid', fieldErrors });

			expect(told.message).toBe('The service did not accept The request is empty');
		});

		it('tells several problems in one message', () => {
			const told = describeFacts({
				kind: 'invalid',
				fieldErrors: [
					{ place: 'directive', reason: 'too short' },
					{ place: 'browser_config.height', reason: 'too big' },
				],
			});

			expect(told.message).toBe(
				"The service did not accept 'Directive': too short; 'Height': too big",
			);
		});

		it('shows no more than 500 characters of what the service says, however much that is', () => {
			const fieldErrors = Array.from({ length: 100 }, () => ({
				place: 'p'.repeat(500),
				reason: 'r'.repeat(500),
			}));

			const { message } = describeFacts({ kind: 'invalid', fieldErrors });

			expect(message.replace('The service did not accept ', '').length).toBeLessThanOrEqual(500);
		});

		it('calls every field that is sent as it is called in the node', () => {
			const sent: Record<string, string> = {
				directive: 'directive',
				initial_url: 'initialUrl',
				cdp_url: 'cdpUrl',
				live_url: 'liveUrl',
				action_selection_model: 'model',
				browser_config: 'browserConfig',
				width: 'width',
				height: 'height',
				residential_ip: 'residentialIp',
				max_duration_minutes: 'maxDurationMinutes',
				idle_timeout_minutes: 'idleTimeoutMinutes',
				keep_browser_open: 'keepBrowserOpen',
				use_user_browser_profile: 'useUserBrowserProfile',
				payload: 'payload',
				job_id: 'jobId',
				workflow_id: 'workflowId',
			};
			const onScreen = displayNames();

			const told = Object.keys(sent).map((place) => [
				place,
				describeFacts({ kind: 'invalid', fieldErrors: [{ place, reason: 'no' }] }).message,
			]);

			expect(told).toEqual(
				Object.entries(sent).map(([place, name]) => [
					place,
					`The service did not accept '${onScreen.get(name)}': no`,
				]),
			);
		});
	});

	it.each(
		EXAMPLES.filter(({ kind }) =>
			['unauthorized', 'insufficientCredits', 'forbidden', 'notFound', 'rateLimited'].includes(
				kind,
			),
		).map((facts): [string, ServiceErrorFacts] => [facts.kind, facts]),
	)("passes the service's own words on: %s", (_kind, facts) => {
		const { description } = describeFacts({ ...facts, detail: 'Ask Ms Miller' });

		expect(description).toMatch(/ The service says: Ask Ms Miller$/);
	});

	it('shows what came instead of an answer', () => {
		const { description } = describeFacts({ kind: 'unreadable', detail: 'a web page' });

		expect(description).toMatch(/ The answer: a web page$/);
	});
});

/** Names on the screen by parameter name, those in collections too. */
function displayNames(): Map<string, string> {
	const { properties } = new BrowserAgent().description;
	const nested = properties.flatMap(({ options = [] }) =>
		options.flatMap((option) => ('displayName' in option ? [option] : [])),
	);
	return new Map([...properties, ...nested].map(({ name, displayName }) => [name, displayName]));
}
