/** What a user reads when a start may have started a job. */
import type { NodeRun } from '../../support/runNode';
import { CONTINUE, RETRY_ON_FAIL } from '../../support/runNode';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';
import { useServer, type ServerAnswer } from '../../support/useServer';

const service = useSandbox();
const host = useServer();

const MONEY =
	"A job may be running and using credits. Look for it in the service's list of jobs before you run the workflow again. Retry On Fail will not start another one. ";
const SENT = / The start was sent at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d\.$/;
const PAGE = { headers: { 'Content-Type': 'text/html' }, body: '<h1>Sign in</h1>' };
const LOGIN = '/sso/login';

/** What stands between the sentences on money and the time, in the description of a start's error. */
async function adviceAfter(run: Partial<SandboxRun>): Promise<string> {
	const { error } = await service.runAgent({}, run);
	const description = error?.description ?? '';

	expect(error?.message).toMatch(/^It is unclear whether a job was started\. /);
	expect(description.startsWith(MONEY)).toBe(true);
	expect(description).toMatch(SENT);
	expect(description).not.toMatch(/try again/i);
	expect(description.split(/\. (?=[A-Z])/).length).toBeLessThanOrEqual(6);
	return description.slice(MONEY.length).replace(SENT, '');
}

describe('The error of an unclear start gives advice about its cause', () => {
	it.each<[string, () => string, ServerAnswer, string]>([
		[
			"the web platform's address",
			() => host.url,
			PAGE,
			"Something in front of the service has responded, e.g. a proxy, a firewall or a login page. If it happens again, check n8n's proxy settings, and 'Base URL' in the Browser Agent API credential.",
		],
		[
			'https on a port without TLS',
			() => host.url.replace('http:', 'https:'),
			{},
			'Check the scheme of the address: the port may expect http:// instead of https://.',
		],
		[
			'an outage',
			() => host.url,
			{ statusCode: 503, body: { detail: 'Down' } },
			"The problem is on the service's side. Response: Down.",
		],
		[
			'a response that says nothing',
			() => host.url,
			{ statusCode: 502 },
			"The problem is on the service's side.",
		],
	])('%s', async (_label, baseUrl, answer, advice) => {
		host.answers(answer);

		expect(await adviceAfter({ baseUrl: baseUrl() })).toBe(advice);
	});

	it('a time-out', async () => {
		await service.fault('startAgent', { kind: 'stall', when: 'after' });

		expect(await adviceAfter({})).toBe('The service may be busy or the network slow.');
	});

	it('a lost connection', async () => {
		await service.fault('startAgent', { kind: 'reset', when: 'after' });

		expect(await adviceAfter({})).toBe('If it happens often, check the network and any proxies.');
	});

	it.each([302, 303])('a sign-in to which a %i leads, without its query', async (statusCode) => {
		host.answers({ statusCode, headers: { Location: `${LOGIN}?state=s3cret` } });

		expect(await adviceAfter({ baseUrl: host.url })).toBe(
			`It redirects to ${host.url}${LOGIN}, so something in front of the service probably wants a sign-in. Check 'Base URL' in the Browser Agent API credential.`,
		);
	});

	it("the service's new address, to which a 302 leads", async () => {
		const Location = 'https://new.example.com/api/v1/run_browser_agent?token=s3cret';
		host.answers({ statusCode: 302, headers: { Location } });

		expect(await adviceAfter({ baseUrl: host.url })).toBe(
			"It redirects to https://new.example.com/api/v1/run_browser_agent. Enter 'https://new.example.com/api' as 'Base URL' in the Browser Agent API credential.",
		);
	});
});

describe('An unclear start', () => {
	const fails = async () => {
		await service.fault('startAgent', 502, { when: 'after', body: { detail: 'Bad gateway' } });
	};

	it.each<[string, NodeRun['timeZone'], RegExp]>([
		['the one of the workflow', 'Asia/Kolkata', / \+05:30\.$/],
		['UTC', 'UTC', / \+00:00\.$/],
		['UTC in place of an unknown one', 'DEFAULT', / \+00:00\.$/],
		["n8n's own, without another", undefined, / -0[45]:00\.$/],
	])('names its time in a time zone: %s', async (_label, timeZone, expected) => {
		await fails();

		const { error } = await service.runAgent({}, { timeZone });

		const [, text = ''] = /sent at (\S+ \S+ \S+)\./.exec(error?.description ?? '') ?? [];
		expect(error?.description).toMatch(expected);
		expect(
			Math.abs(Date.parse(text.replace(' ', 'T').replace(' ', '')) - service.clock.now()),
		).toBeLessThan(10_000);
	});

	it('is told again by a retry, with its status and time', async () => {
		await fails();

		const { error } = await service.runAgent({}, { settings: RETRY_ON_FAIL, timeZone: 'UTC' });

		expect(error?.message).toBe(
			'The job was not started again, because the first start may have succeeded',
		);
		expect(error?.description).toMatch(
			/^A job may be running and using credits\. Look for it in the service's list of jobs, then run the workflow again\. The first start was sent at \S+ \S+ \+00:00, and its outcome is unknown: the service failed to process the request \(HTTP 502\)\. Response: Bad gateway\.$/,
		);
	});

	it('is stored with a suspended wait, with its cause and time', async () => {
		await service.fault('startAgent', 502, { when: 'after', skip: 1, body: { detail: 'Bad' } });
		await service.admin.nextJobs([{ durationSeconds: 150 }]);

		const { engine, finished } = service.suspendAgent(
			{ maxParallelJobs: 2 },
			{ input: [{}, {}], settings: CONTINUE },
		);

		await engine.suspended;
		expect(engine.stored).toMatch(
			/"unclearStart\\*":\{\\*"sentAt\\*":\d+,\\*"cause\\*":\\*"[^"]*HTTP 502/,
		);
		await finished;
	});
});
