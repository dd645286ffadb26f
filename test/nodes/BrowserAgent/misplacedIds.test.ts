import { captureLog } from '../../support/captureLog';
import { runNode } from '../../support/runNode';
import { testClock } from '../../support/testClock';
import { setClock } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

const server = useServer();
beforeEach(() => setClock(testClock()));
afterEach(() => jest.restoreAllMocks());
afterAll(() => setClock());

async function start() {
	const log = captureLog();
	const { error } = await runNode({
		baseUrl: server.url,
		resource: 'agent',
		operation: 'run',
		parameters: { directive: 'Go' },
	});
	return { error, log: log.join() };
}

describe('The ID of a started job that is not where it should be', () => {
	it.each([
		['under another name', '{"id": "job_77", "status": "running"}', 'job_77'],
		['under a name in another spelling', '{"jobId": "job_77"}', 'job_77'],
		['within data', '{"status": "success", "data": {"job_id": "job_77"}}', 'job_77'],
		['beside a message', '{"message": "Accepted", "id": "job_77"}', 'job_77'],
		[
			'as a number that JavaScript rounds',
			'{"job_id": 12345678901234567890}',
			'12345678901234567890',
		],
		['in a list', '[{"job_id": "job_77"}]', 'job_77'],
	])('is in the error and in the log: %s', async (_label, body, jobId) => {
		server.answers({ body });

		const { error, log } = await start();

		expect(error?.message).toContain('It is unclear whether a job was started');
		expect(error?.description).toContain(jobId);
		expect(log).toContain(jobId);
		expect(server.arrivals).toHaveLength(1);
	});
});

describe('What a refusal says is quoted', () => {
	it.each([
		['a list of errors', { errors: [{ title: 'Out of browsers' }] }],
		['a title', { title: 'Out of browsers' }],
		['an error in an error', { error: { message: 'Out of browsers' } }],
	])('%s', async (_label, body) => {
		server.answers({ statusCode: 400, body });

		const { error } = await start();

		expect(error?.description).toContain('Out of browsers');
	});

	it('without the address of a browser', async () => {
		server.answers({ body: { cdp_url: 'http://10.0.0.1:9222/?token=hunter2', id: 'job_77' } });

		const { error } = await start();

		expect(error?.description).toContain('job_77');
		expect(error?.description).not.toContain('hunter2');
	});
});
