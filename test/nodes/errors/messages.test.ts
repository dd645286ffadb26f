import type { INodeParameters } from 'n8n-workflow';

import { runNode, type NodeResult, type NodeRun } from '../../support/runNode';
import { steadyClock } from '../../support/steadyClock';
import { useServer, type ServerAnswer } from '../../support/useServer';
import { setClock, setServiceLimits } from '../../support/testRuntime';

const KEY = 'key-of-the-account-1234';
const CDP_URL = 'https://browser.example.com/devtools/browser/1a2b3c?token=s%C3%A9cret';

describe('in a run on n8n, the user', () => {
	const server = useServer();
	// What the service asks to be waited for is waited for.
	beforeEach(() => setClock(steadyClock(50)));
	afterEach(() => {
		setClock();
		setServiceLimits();
	});

	const getJob = async (more: Partial<NodeRun> = {}): Promise<NodeResult> =>
		await runNode({
			baseUrl: server.url,
			apiKey: KEY,
			resource: 'job',
			operation: 'get',
			parameters: { jobId: 'job_1' },
			...more,
		});
	const runAgent = async (parameters: INodeParameters = {}): Promise<NodeResult> =>
		await runNode({
			baseUrl: server.url,
			apiKey: KEY,
			resource: 'agent',
			operation: 'run',
			parameters: { directive: 'Go', ...parameters },
		});

	it.each<[number, string, string]>([
		[401, 'Job job_1: The service did not accept the API key', "Check 'API Key'"],
		[
			402,
			'Job job_1: The account has too few credits',
			"Add credits in the service's web platform",
		],
		[403, 'Job job_1: The API key has no permission for this', 'Use a key with the permission'],
		[404, 'Job job_1 was not found', "Check 'Job ID'"],
		[
			422,
			'Job job_1: The service did not accept the request: Not today',
			"Check the node's parameters",
		],
		[429, 'Job job_1: Rate limit exceeded for this account', 'Try again in 7 s'],
		[500, 'Job job_1: The service failed to process the request (HTTP 500)', 'Try again later'],
		[503, 'Job job_1: The service failed to process the request (HTTP 503)', 'Try again later'],
		[
			301,
			'Job job_1: The service answered with a redirect (HTTP 301), which is not followed',
			"as 'Base URL'",
		],
	])('reads what a %i means and what to do', async (statusCode, message, advice) => {
		server.answers({
			statusCode,
			headers: { 'Retry-After': '7' },
			body: { detail: 'Not today', status_code: statusCode },
		});

		const { error, status } = await getJob();

		expect(error?.message).toBe(message);
		expect(error?.description).toContain(advice);
		expect(error?.httpCode).toBe(String(statusCode));
		expect(error?.context).toMatchObject({ itemIndex: 0, jobIds: ['job_1'] });
		expect(status).toBe('error');
	});

	it('reads that a connection was refused', async () => {
		const { error } = await getJob({ baseUrl: 'http://127.0.0.1:1' });

		expect(error?.message).toBe(
			'Job job_1: The service could not be reached: the connection was refused',
		);
		expect(error?.description).toContain("Check 'Base URL'");
	});

	it('reads that there was no answer in time', async () => {
		server.answers(() => {});

		const { error } = await getJob({ onRequest: () => ({ timeout: 50 }) });

		expect(error?.message).toBe('Job job_1: The service did not respond in time');
		expect(error?.description).toContain('Try again later');
	});

	it('reads that the connection broke', async () => {
		server.breaksConnections();

		const { error } = await getJob();

		expect(error?.message).toBe(
			'Job job_1: The connection to the service was lost before the response was complete',
		);
	});

	it('reads that something else answers', async () => {
		server.answers({ body: '<title>Welcome to our router</title>' });

		const { error } = await getJob();

		expect(error?.message).toBe("Job job_1: The service's response could not be read");
		expect(error?.description).toContain('a web page titled "Welcome to our router"');
	});

	it.each([
		['an empty key', { apiKey: '' }, /'API Key' is empty or has characters in it/],
		['no address', { baseUrl: '' }, /'Base URL' is empty/],
		[
			'an address in the open',
			{ baseUrl: 'http://api.example.com' },
			/'Base URL' would send the API key unencrypted to api\.example\.com/,
		],
	])('reads which field of the credential is at fault: %s', async (_label, credential, message) => {
		const { error } = await getJob(credential);

		expect(error?.message).toMatch(message);
		expect(server.arrivals).toEqual([]);
	});

	it('does not wait for a job with a key that cannot be sent', async () => {
		const { error } = await getJob({ operation: 'wait', apiKey: ' ' });

		expect(error?.message).toBe(
			"Job job_1: The request was not sent: 'API Key' is empty or has characters in it that a key cannot have",
		);
	});

	it('reads the name of a field as on the screen', async () => {
		server.answers({
			statusCode: 422,
			body: {
				detail: [
					{
						loc: ['body', 'browser_config', 'width'],
						msg: 'Input should be less than or equal to 4096',
						type: 'less_than_equal',
						input: 5000,
					},
				],
			},
		});

		const { error } = await runAgent();

		expect(error?.message).toBe(
			"The service did not accept 'Width': Input should be less than or equal to 4096",
		);
	});

	it.each<[string, ServerAnswer]>([
		['a text', { statusCode: 400, body: 'x'.repeat(5_000_000) }],
		['a detail', { statusCode: 500, body: { detail: 'x'.repeat(5_000_000) } }],
		[
			'many fields',
			{
				statusCode: 422,
				body: {
					detail: Array.from({ length: 1_000 }, () => ({
						loc: ['body', 'x'.repeat(1_000)],
						msg: 'x'.repeat(1_000),
					})),
				},
			},
		],
		['a page', { body: 'x'.repeat(5_000_000) }],
	])('reads 500 characters of the service at most, out of %s', async (_label, answer) => {
		server.answers(answer);

		const { error } = await getJob();

		const said = `${error?.message} ${error?.description}`.match(/x/g) ?? [];
		expect(said.length).toBeLessThanOrEqual(500);
		expect(error?.message.length).toBeLessThan(700);
	});

	it.each<[string, ServerAnswer]>([
		['a 400', { statusCode: 400, body: { detail: `${KEY} cannot reach ${CDP_URL}` } }],
		['a 401', { statusCode: 401, body: { detail: `Bearer ${KEY} is not known` } }],
		['a 402', { statusCode: 402, body: { detail: `${KEY} has no credits` } }],
		['a 403', { statusCode: 403, body: { detail: `${KEY} may not use ${CDP_URL}` } }],
		['a 404', { statusCode: 404, body: { detail: `no browser at ${CDP_URL}` } }],
		[
			'a 422',
			{
				statusCode: 422,
				body: {
					detail: [{ loc: ['body', 'cdp_url'], msg: `${CDP_URL} is no address`, input: CDP_URL }],
				},
			},
		],
		['a 500', { statusCode: 500, body: `${KEY} ${CDP_URL}` }],
		['a web page', { statusCode: 502, body: `<title>${KEY} ${CDP_URL}</title>` }],
		['an answer without a job', { body: { message: `${KEY} ${CDP_URL}` } }],
		['broken JSON', { body: `{"cdp_url": "${CDP_URL}", "key": "${KEY}"` }],
	])('never reads the key or the address of a browser, though %s has them', async (_l, answer) => {
		server.answers(answer);

		const { error } = await runAgent({ browser: 'own', cdpUrl: CDP_URL });

		expect(error).toBeDefined();
		const { node: _parameters, ...told } = JSON.parse(JSON.stringify(error)) as { node: unknown };
		expect(JSON.stringify([error?.message, error?.description, told])).not.toMatch(
			/key-of|browser\.example\.com|1a2b3c|s%C3%A9cret/,
		);
	});
});
