import type { INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { captureLog } from '../../support/captureLog';
import { RETRY_ON_FAIL } from '../../support/runNode';
import { startSuspended } from '../../support/runSuspended';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

// Not recognizable by its scheme, so that it is hidden only if it is known.
const ADDRESS = 'http://10.0.0.7:9222/devtools/browser/very-secret-1a2b3c';
const WITHOUT_ADDRESS: JobScript = { omitFields: ['cdp_url'] };
const CDP_URL: INodeParameters = { options: { returnCdpUrl: true } };
const OWN: INodeParameters = { browser: 'own', cdpUrl: '={{ $json.cdp_url }}' };
const FROM_FIRST_NODE = { input: [{ cdp_url: ADDRESS }] };
const failing = (script: JobScript = {}): JobScript => ({
	statuses: ['failed'],
	error: `Lost the browser at ${ADDRESS}`,
	...script,
});

describe('Return CDP URL', () => {
	it.each<[string, INodeParameters]>([
		['of the finished job', {}],
		['of the job as it is after Max Wait (Minutes)', { maxWaitMinutes: 0.01, onTimeout: 'return' }],
	])('returns the address that the status has, %s', async (_label, options) => {
		const { items } = await service.runAgent({ options: { returnCdpUrl: true, ...options } });

		const [job] = await service.admin.jobs();
		expect(items[0]?.json.cdp_url).toMatch(`wss://cdp.sandbox.invalid/${job?.job_id}?token=`);
	});

	it("returns the address of the start's response when the status has none", async () => {
		await service.admin.nextJob({ ...WITHOUT_ADDRESS, startBody: { cdp_url: ADDRESS } });

		const { items } = await service.runAgent(CDP_URL);

		expect(items[0]?.json.cdp_url).toBe(ADDRESS);
	});

	it('returns it when Wait Until Finished is off', async () => {
		const { items } = await service.runAgent({ ...CDP_URL, waitUntilFinished: false });

		expect(items[0]?.json.cdp_url).toMatch('wss://');
	});

	it('returns it on Workflow: Run, where only the status has it', async () => {
		const { items } = await service.runWorkflow(CDP_URL);

		expect(items[0]?.json.cdp_url).toMatch('wss://');
	});

	it.each([true, false])(
		'returns none when it is off, with Wait Until Finished = %p',
		async (waits) => {
			const { items } = await service.runAgent({ waitUntilFinished: waits });

			expect(JSON.stringify(items)).not.toContain('cdp');
		},
	);

	it('is returned by a suspended wait', async () => {
		await service.admin.nextJob({
			...WITHOUT_ADDRESS,
			durationSeconds: 150,
			startBody: { cdp_url: ADDRESS },
		});

		const { engine, finished } = startSuspended({
			baseUrl: service.url,
			resource: 'agent',
			operation: 'run',
			parameters: { directive: 'Log in', ...CDP_URL },
		});
		const { items } = await finished;

		expect(engine.subWorkflows).toBe(1);
		expect(items[0]?.json.cdp_url).toBe(ADDRESS);
	});
});

describe("A browser's address", () => {
	it('can be given to the next task, which works in that browser', async () => {
		const first = await service.runAgent(CDP_URL);
		const input = first.items.map(({ json }) => json);

		const { status } = await service.runAgent(OWN, { input });

		const jobs = await service.admin.jobs();
		expect(status).toBe('success');
		expect(jobs[1]?.request).toMatchObject({ cdp_url: input[0]?.cdp_url });
	});

	it.each<[string, JobScript, INodeParameters, Array<Record<string, string>>]>([
		['that is returned', failing({ startBody: { cdp_url: ADDRESS } }), CDP_URL, [{}]],
		['that the node was given', failing(WITHOUT_ADDRESS), OWN, FROM_FIRST_NODE.input],
	])('%s is in no message and no line of the log', async (_label, script, parameters, input) => {
		const log = captureLog();
		await service.admin.nextJob(script);

		const { error } = await service.runAgent(parameters, { input });

		expect(error?.message).toMatch(/failed: Lost the browser at \[hidden\]$/);
		expect(JSON.stringify([error?.message, error?.description, log])).not.toContain('very-secret');
	});

	it('that the node was given is not in the message of a further try either', async () => {
		await service.admin.nextJob(failing({ ...WITHOUT_ADDRESS, statuses: ['running', 'failed'] }));
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { error } = await service.runAgent(OWN, {
			...FROM_FIRST_NODE,
			settings: RETRY_ON_FAIL,
		});

		expect(error?.message).toMatch(/failed: Lost the browser at \[hidden\]$/);
	});

	it('that is returned is not in the message of a suspended wait', async () => {
		const statuses = [{ status: 'running', seconds: 150 }, 'failed'];
		await service.admin.nextJob(
			failing({ ...WITHOUT_ADDRESS, statuses, startBody: { cdp_url: ADDRESS } }),
		);

		const { engine, finished } = startSuspended({
			baseUrl: service.url,
			resource: 'agent',
			operation: 'run',
			parameters: { directive: 'Log in', ...CDP_URL },
		});
		const { error } = await finished;

		expect(engine.subWorkflows).toBe(1);
		expect(error?.message).toMatch(/failed: Lost the browser at \[hidden\]$/);
	});
});
