import type { IHttpRequestOptions, INodeParameters } from 'n8n-workflow';

import { CONTINUE } from '../../support/runNode';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();
const { clock } = service;

const NOWHERE = 'http://127.0.0.1:9';
const ROWS = Array.from({ length: 8 }, (_, index) => ({ task: `row ${index}` }));

/** The service is down for this long, so that connections to it are refused. */
function downFor(ms: number) {
	const upAt = clock.now() + ms;
	return (request: IHttpRequestOptions) =>
		clock.now() < upAt ? { url: request.url.replace(service.url, NOWHERE) } : undefined;
}

async function runRows(more: Partial<SandboxRun>, parameters: INodeParameters = {}) {
	return await service.runAgent(
		{ directive: '={{ $json.task }}', ...parameters },
		{ input: ROWS, settings: CONTINUE, ...more },
	);
}

describe('A start that did not reach the service', () => {
	it('is sent again, so that a batch survives a restart of three seconds', async () => {
		const { json } = await runRows({ onRequest: downFor(3_000) });

		expect(json.map(({ status, error }) => error ?? status)).toEqual(Array(8).fill('completed'));
		expect(await service.jobIds()).toHaveLength(8);
	});

	it('is given up after the third try', async () => {
		const began = clock.now();

		const { error } = await service.runAgent({}, { baseUrl: NOWHERE });

		expect(error?.message).toContain('The service could not be reached');
		expect(clock.now() - began).toBe(3_000);
	});

	it('is sent again only with enough credits', async () => {
		const down = downFor(500);
		const balances = [10, 0];
		const onRequest = (request: IHttpRequestOptions) =>
			request.url.endsWith('run_browser_agent') ? down(request) : undefined;
		for (const credit_balance of balances) {
			await service.fault('getCreditBalance', { kind: 'body', body: { credit_balance } });
		}

		const { error } = await service.runAgent({ options: { minimumCredits: 1 } }, { onRequest });

		expect(error?.message).toContain('The account has 0 credits');
		expect(await service.jobIds()).toEqual([]);
	});

	it('uses up no rate limit, so that 300 rows with a wrong host end within two minutes', async () => {
		const input = Array.from({ length: 300 }, (_, index) => ({ task: `row ${index}` }));
		const began = clock.now();

		const { json } = await runRows({ input, baseUrl: NOWHERE });

		expect(json).toHaveLength(300);
		expect(clock.now() - began).toBeLessThan(2 * 60_000);
	});

	it('is not sent again when the execution is stopped meanwhile', async () => {
		clock.hold();
		const execution = service.startAgent({}, { onRequest: downFor(500) });
		await clock.advance(600);

		execution.stop();
		await clock.advance(5_000);

		expect((await execution.finished).status).toBe('canceled');
		expect(await service.sent('startAgent')).toEqual([]);
	});
});

describe('A start is sent once', () => {
	it.each([400, 402, 403, 404, 422])('when the service refuses it with %i', async (status) => {
		await service.fault('startAgent', status);

		const { error } = await service.runAgent();

		expect(error).toBeDefined();
		expect(await service.sent('startAgent')).toHaveLength(1);
	});
});

describe('A pause or resume that did not reach the service', () => {
	it.each(['pause', 'resume'])('is sent again: %s', async (operation) => {
		const jobId = await service.givenJob(
			operation === 'pause' ? ['running'] : { statuses: ['paused', 'running'] },
		);
		const run = { resource: 'job', operation, input: [{ job_id: jobId }] };

		const { error } = await service.run({ ...run, onRequest: downFor(3_000) });

		const sent = await service.sent(operation === 'pause' ? 'pauseJob' : 'resumeJob');
		expect(sent).toHaveLength(1);
		expect(error?.message ?? '').not.toContain('could not be reached');
	});
});
