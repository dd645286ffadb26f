import type { INodeParameters } from 'n8n-workflow';

import { runInLoop } from '../../support/runInLoop';
import { CONTINUE, RETRY_AND_CONTINUE } from '../../support/runNode';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();

const SHARED = "'Own Browser CDP URL' is the same as for an earlier item";
const ADDRESS = 'wss://browser.example.com/devtools/browser/';
const OWN: INodeParameters = { browserConfig: { cdpUrl: `=${ADDRESS}{{ $json.browser }}` } };

/** Agent: Run in these browsers of the user, one item for each. */
async function runIn(
	browsers: string[],
	settings: SandboxRun['settings'] = {},
	parameters: INodeParameters = {},
) {
	return await service.runAgent(
		{ ...OWN, ...parameters },
		{ input: browsers.map((browser) => ({ browser })), settings },
	);
}

/** The ends of the addresses of the browsers in which jobs were started. */
async function browsersUsed(): Promise<string[]> {
	const starts = await service.sent('startAgent');
	return starts.map(({ body }) => (body as { cdp_url: string }).cdp_url.replace(ADDRESS, ''));
}

describe('Items of a run with the same CDP URL', () => {
	it('fail the node before anything is sent, and point to Loop Over Items', async () => {
		const { error } = await runIn(['a', 'b', 'a']);

		expect(error).toMatchObject({
			message: SHARED,
			description: expect.stringContaining("n8n's Loop Over Items node"),
			context: { itemIndex: 2 },
		});
		expect(await service.requests()).toEqual([]);
	});

	it('fail also if its address is written in another way', async () => {
		const cdpUrl = '={{ $json.browser }}';
		const browsers = ['http://b.example.com:9222', 'HTTP://B.example.com:9222/'];

		const { error } = await runIn(browsers, {}, { browserConfig: { cdpUrl } });

		expect(error).toMatchObject({ message: SHARED, context: { itemIndex: 1 } });
		expect(await service.requests()).toEqual([]);
	});

	it('fail with Continue On Fail, but for the first of them', async () => {
		const { json } = await runIn(['a', 'a', 'b', 'a'], CONTINUE);

		expect(json.map(({ error }) => error)).toEqual([undefined, SHARED, undefined, SHARED]);
		expect((await browsersUsed()).sort()).toEqual(['a', 'b']);
	});

	it('start one job when n8n retries the node after the first of them has failed', async () => {
		await service.admin.nextJob({ statuses: ['failed'], error: 'A captcha' });

		const { json } = await runIn(['a', 'a'], RETRY_AND_CONTINUE);

		expect(json.map(({ error }) => error)).toEqual([
			expect.stringContaining('failed: A captcha'),
			SHARED,
		]);
		expect(await browsersUsed()).toEqual(['a']);
	});

	it('run when the first of them has another wrong parameter', async () => {
		const parameters = { options: { maxWaitMinutes: '={{ $itemIndex }}' } };

		const { json } = await runIn(['a', 'a'], CONTINUE, parameters);

		expect(json.map(({ status }) => status)).toEqual([undefined, 'completed']);
	});
});

it('The runs of a loop may use one browser, one after another', async () => {
	const runs = await runInLoop(
		{
			baseUrl: service.url,
			resource: 'agent',
			operation: 'run',
			parameters: { directive: 'Go on', browserConfig: { cdpUrl: `${ADDRESS}a` } },
		},
		2,
	);

	expect(runs.map((json) => json?.status)).toEqual(['completed', 'completed']);
	expect(await browsersUsed()).toEqual(['a', 'a']);
});
