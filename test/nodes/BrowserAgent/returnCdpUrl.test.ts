import type { INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { captureLog } from '../../support/captureLog';
import { CONTINUE, RETRY_ON_FAIL } from '../../support/runNode';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

// Not recognizable by its scheme, so that it is hidden only if it is known.
const ADDRESS = 'http://10.0.0.7:9222/session?token=very-secret-1a2b3c';
const ONLY_FROM_START: JobScript = { omitFields: ['cdp_url'], startBody: { cdp_url: ADDRESS } };
const CDP_URL: INodeParameters = { options: { returnCdpUrl: true } };
const OWN: INodeParameters = { browserConfig: { cdpUrl: '={{ $json.cdp_url }}' } };
const FROM_FIRST_NODE = [{ cdp_url: ADDRESS }];
const failing = (script: JobScript = {}): JobScript => ({
	statuses: ['failed'],
	error: `Lost the browser at ${ADDRESS}`,
	...script,
});
const HIDDEN = /failed: Lost the browser at \[hidden\]$/;

describe('Return CDP URL', () => {
	it('returns the address that the status has', async () => {
		const { json } = await service.runAgent(CDP_URL);

		const { job_id } = await service.onlyJob();
		expect(json[0]?.cdp_url).toMatch(`wss://cdp.sandbox.invalid/${job_id}?token=`);
	});

	it("returns the address of the start's response when the status has none", async () => {
		await service.admin.nextJob(ONLY_FROM_START);

		const { json } = await service.runAgent(CDP_URL);

		expect(json[0]?.cdp_url).toBe(ADDRESS);
	});

	it.each([
		['without waiting', () => service.runAgent({ ...CDP_URL, waitUntilFinished: false })],
		['on Saved Workflow: Run, where only the status has it', () => service.runWorkflow(CDP_URL)],
	])('returns the address %s', async (_label, run) => {
		const { json } = await run();

		expect(json[0]?.cdp_url).toMatch('wss://');
	});

	it.each([true, false])(
		'returns none when it is off, with Wait Until Finished = %p',
		async (waitUntilFinished) => {
			const { json } = await service.runAgent({ waitUntilFinished });

			expect(JSON.stringify(json)).not.toContain('cdp');
		},
	);

	it('is returned by a suspended wait', async () => {
		await service.admin.nextJob({ ...ONLY_FROM_START, durationSeconds: 150 });

		const { json } = await service.suspendAgent({ returnCdpUrl: true }).finished;

		expect(json[0]?.cdp_url).toBe(ADDRESS);
	});
});

describe("A browser's address", () => {
	it('can be given to the next task, which works in that browser', async () => {
		const { json: input } = await service.runAgent(CDP_URL);

		await service.runAgent(OWN, { input });

		const jobs = await service.admin.jobs();
		expect(jobs[1]?.request).toMatchObject({ cdp_url: input[0]?.cdp_url });
	});

	it.each<[string, JobScript, INodeParameters]>([
		['that is returned', { startBody: { cdp_url: ADDRESS } }, CDP_URL],
		['that the node was given', { omitFields: ['cdp_url'] }, OWN],
	])('%s is in no message and no line of the log', async (_label, script, parameters) => {
		const log = captureLog();
		await service.admin.nextJob(failing(script));

		const { error } = await service.runAgent(parameters, { input: FROM_FIRST_NODE });

		expect(error?.message).toMatch(HIDDEN);
		expect(JSON.stringify([error?.message, error?.description, log])).not.toContain('very-secret');
	});

	it.each<[string, JobScript, INodeParameters]>([
		['that the start returned', { startBody: { cdp_url: ADDRESS } }, {}],
		['that the node was given', {}, OWN],
	])('%s is not in the log of a retry that fails at once', async (_label, script, parameters) => {
		const log = captureLog();
		await service.admin.nextJob({ statuses: ['running'], omitFields: ['cdp_url'], ...script });
		// The second start is unclear, so the retry only pauses the first item's job.
		await service.fault('startAgent', 500, { skip: 1 });
		const body = { detail: `The browser is ${ADDRESS}` };
		await service.fault('pauseJob', { kind: 'status', status: 402, body, times: 'always' });

		await service.runAgent(
			{
				...parameters,
				options: { pauseJob: 'onEarlyEnd' },
			},
			{
				input: [...FROM_FIRST_NODE, { cdp_url: 'http://10.0.0.8:9222' }],
				settings: RETRY_ON_FAIL,
			},
		);

		expect(log.join()).toContain('The browser is [hidden]');
		expect(log.join()).not.toContain('very-secret');
	});

	it('that the start returned is neither stored with a suspended wait nor in its error and log', async () => {
		const log = captureLog();
		await service.admin.nextJob({
			...ONLY_FROM_START,
			durationSeconds: 150,
			outcome: 'failed',
			error: 'A captcha',
		});

		const { engine, finished } = service.suspendAgent({}, { settings: CONTINUE });

		const { json } = await finished;
		expect(json[0]?.error).toContain('failed: A captcha');
		expect(JSON.stringify([json, engine.stored, log])).not.toContain('very-secret');
	});
});
