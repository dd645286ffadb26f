import type { INodeParameters } from 'n8n-workflow';

import { captureLog } from '../../support/captureLog';
import { testClock } from '../../support/testClock';
import { runNode, type NodeResult } from '../../support/runNode';
import { setClock } from '../../support/testRuntime';
import { useServer, type ServerAnswer } from '../../support/useServer';

const KEY = 'key-of-the-account-1234';
const CDP_URL = 'https://browser.example.com/devtools/browser/1a2b3c4d5?token=s%C3%A9cret-123';

describe('An error of a node on n8n', () => {
	const server = useServer();
	beforeEach(() => setClock(testClock()));
	afterEach(() => {
		jest.restoreAllMocks();
		setClock();
	});

	const run = async (
		resource: string,
		operation: string,
		parameters: INodeParameters,
		credential: { apiKey?: string; baseUrl?: string } = {},
	): Promise<NodeResult> =>
		await runNode({
			baseUrl: server.url,
			apiKey: KEY,
			resource,
			operation,
			parameters,
			...credential,
		});

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
			/key-of|browser\.example\.com|1a2b3c|s%C3%A9cret/,
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
