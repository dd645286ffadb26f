import type { INodeParameters } from 'n8n-workflow';

import { captureLog } from '../../support/captureLog';
import { runNode } from '../../support/runNode';
import { testClock } from '../../support/testClock';
import { setClock } from '../../support/testRuntime';
import { useServer, type ServerAnswer } from '../../support/useServer';

const KEY = 'key-5ecret-0123456789';
const ID = { jobId: 'job_1' };

const server = useServer();

beforeEach(() => setClock(testClock()));
afterEach(() => jest.restoreAllMocks());
afterAll(() => setClock());

async function run(resource: string, operation: string, parameters: INodeParameters, items = 1) {
	return await runNode({
		baseUrl: server.url,
		apiKey: KEY,
		resource,
		operation,
		parameters,
		input: Array.from({ length: items }, () => ({})),
	});
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('A response that n8n could not copy', () => {
	it("leaves the job's ID in the error when the job's reason is nested 6,000 levels deep", async () => {
		server.answers({ body: `{"status":"failed","error":${nested(6_000)}}` });

		const { error } = await run('job', 'wait', ID);

		expect(error?.message).toMatch(/^Job job_1 failed: \[{499}…$/);
		expect(error?.context).toMatchObject({ jobIds: ['job_1'] });
	});

	it('is an error when it lists 300,001 files', async () => {
		server.answers({ body: `{"files":[${'{},'.repeat(300_000)}{}]}` });

		const { error } = await run('jobFile', 'getAll', ID);

		expect(error?.message).toBe('Job job_1 has more than 1000 files');
	});
});

describe('Text from the service is safe to show', () => {
	const forged = `x\r\n2026-01-01 | error | forged \u202e<b> ${KEY}`;
	const SAFE = 'x 2026-01-01 | error | forged ‹b› [hidden]';

	it('in the message of a job that does not end', async () => {
		server.answers({ body: { status: forged } });

		const { error } = await run('job', 'wait', { ...ID, options: { maxWaitMinutes: 0.1 } });

		expect(error?.message).toBe(`Job job_1 was still ${SAFE} after 0.1 minutes`);
	});

	it.each([
		[forged, SAFE],
		['x'.repeat(81), `${'x'.repeat(79)}…`],
	])("in the status of a failed item's job: %j", async (status, shown) => {
		server.answers({ body: { status } });

		const { json } = await runNode({
			...{ baseUrl: server.url, apiKey: KEY, resource: 'job', operation: 'wait' },
			parameters: { ...ID, options: { maxWaitMinutes: 0.1 } },
			settings: { onError: 'continueRegularOutput' },
		});

		expect(json[0]?.details).toMatchObject({ job_id: 'job_1', status: shown });
	});

	it('in the hint about several jobs', async () => {
		server.answers({ body: { status: forged } });
		const options = { maxWaitMinutes: 0.1, returnInsteadOfFailing: ['timeout'] };

		const { task } = await run('job', 'wait', { ...ID, options }, 2);

		expect(task?.hints?.map(({ message }) => message)).toEqual([`2 jobs: 2 ${SAFE}.`]);
	});

	it("in n8n's log at the end of the job, also where the status is cut", async () => {
		const lines = captureLog();
		server.answers({ body: { status: `${'x'.repeat(70)} ${KEY}`, error: 'No' } });

		await run('job', 'wait', ID);

		expect(lines).toHaveLength(1);
		expect(lines[0]).toContain(`finished with status ${'x'.repeat(70)} [hidden]`);
		expect(lines[0]).not.toContain(KEY.slice(0, 6));
	});
});

describe('The error of a start', () => {
	const CDP_URL = 'https://browser.example.com/devtools/browser/1a2b3c4d5?token=s%C3%A9cret-123';

	it.each<[string, ServerAnswer]>([
		['a detail', { statusCode: 400, body: { detail: `${KEY} cannot reach ${CDP_URL}` } }],
		['broken JSON', { body: `{"cdp_url": "${CDP_URL}", "key": "${KEY}"` }],
	])("contains neither key nor browser's address, though %s does", async (_label, answer) => {
		server.answers(answer);
		const parameters = { directive: 'Go', browserConfig: { cdpUrl: CDP_URL } };

		const { error } = await run('agent', 'run', parameters);

		const { node: _parameters, ...shown } = JSON.parse(JSON.stringify(error)) as { node: unknown };
		expect(error?.message).toMatch(/./);
		expect(JSON.stringify([error?.message, error?.description, shown])).not.toMatch(
			/5ecret|browser\.example\.com|1a2b3c|s%C3%A9cret/,
		);
	});

	it("names a job whose ID is part of its browser's address, and so does n8n's log", async () => {
		const log = captureLog();
		const job_id = 'job%2F1d326';
		const cdp_url = `https://browser.example.com/${job_id}?job=${job_id}-0123456789`;
		server.answers({ body: { job_id, status: 'failed', error: 'The page is gone', cdp_url } });

		const { error } = await run('agent', 'run', { directive: 'Go' });

		expect(error?.message).toBe('Job job%2F1d326 failed: The page is gone');
		expect(log[0]).toContain('started job job%2F1d326 (');
	});
});

describe('A name from Object.prototype', () => {
	it.each(['__proto__', 'constructor', 'toString'])('is not an operation: %s', async (name) => {
		const asResource = await run(name, 'get', ID);
		const asOperation = await run('job', name, ID);

		expect(asResource.error?.message).toBe(`'Operation' has no option '${name}:'`);
		expect(asOperation.error?.message).toBe(`'Operation' has no option 'job: ${name}'`);
		expect(server.arrivals).toEqual([]);
	});

	it.each(['__proto__', 'constructor'])('is a status like any other: %s', async (name) => {
		server.answers({ body: { status: name } });

		const { json } = await run('job', 'get', ID);

		expect(json[0]).toEqual({ job_id: 'job_1', status: name, is_finished: false });
	});
});
