import { ExecuteContext } from 'n8n-core';
import type { IDataObject, IHttpRequestOptions, INodeParameters } from 'n8n-workflow';

import { captureLog } from '../../support/captureLog';
import { CONTINUE, toResult } from '../../support/runNode';
import { runTool, type ToolRun } from '../../support/runTool';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();
const { clock } = service;

const OLD_KEY = 'sk-old-1234567890';
const NEW_KEY = 'sk-new-0987654321';
const BAD_KEY = 'The service did not accept the API key';
const ROWS = Array.from({ length: 6 }, (_, index) => ({ task: `row ${index}` }));
const ONE_BY_ONE = { maxParallelJobs: 1 };
const LONG = { durationSeconds: 40 };

/** The key in the credential, and the one that the service accepts. */
let stored: string;
let accepted: string;
let isVolatile: boolean;
let reads: number;
/** How long it takes to read the credential. */
let readMs: number;

beforeEach(() => {
	stored = accepted = OLD_KEY;
	isVolatile = false;
	reads = 0;
	readMs = 0;
	const { getCredentials } = ExecuteContext.prototype;
	jest.spyOn(ExecuteContext.prototype, 'getCredentials').mockImplementation(async function (
		this: ExecuteContext,
		...args
	) {
		reads++;
		await clock.sleep(readMs);
		const data = await getCredentials.apply<ExecuteContext, typeof args, Promise<IDataObject>>(
			this,
			args,
		);
		if (data.apiKey !== OLD_KEY) return data;
		return { ...data, apiKey: isVolatile ? `sk-${reads}-1234567890` : stored };
	});
});

/** Lets the sandbox accept the accepted key, and no other. */
function onRequest(request: IHttpRequestOptions) {
	const headers = request.headers as IDataObject;
	const isAccepted = headers.Authorization === `Bearer ${accepted}`;
	const key = isAccepted ? 'sandbox-pro-key' : 'sk-nobody';
	return { headers: { ...headers, Authorization: `Bearer ${key}` } };
}

function replaceKey(): void {
	stored = accepted = NEW_KEY;
}

/** As `onRequest`. The key is replaced just before the start of this row. */
function replacedBefore(task: string) {
	return (request: IHttpRequestOptions) => {
		if (String(request.body).includes(task)) replaceKey();
		return onRequest(request);
	};
}

async function runRows(options: INodeParameters = ONE_BY_ONE, more: Partial<SandboxRun> = {}) {
	const { json } = await service.runAgent(
		{ directive: '={{ $json.task }}', options },
		{ input: ROWS, settings: CONTINUE, apiKey: OLD_KEY, onRequest, ...more },
	);
	return json.map(({ status, error }) => status ?? error);
}

describe('When the API key is replaced while a batch runs', () => {
	it('the later rows are started with the new one', async () => {
		const outcomes = await runRows(ONE_BY_ONE, { onRequest: replacedBefore('row 2') });

		expect(outcomes).toEqual(Array(6).fill('completed'));
		expect(await service.jobIds()).toHaveLength(6);
		// The one that was refused, and its repetition.
		expect(await service.sent('startAgent')).toHaveLength(7);
	});

	it('so are rows that are started at the same time', async () => {
		const outcomes = await runRows({ maxParallelJobs: 6 }, { onRequest: replacedBefore('row 0') });

		expect(outcomes).toEqual(Array(6).fill('completed'));
	});

	it('a repeated start has checked the credits again', async () => {
		await service.fault('getCreditBalance', { kind: 'body', body: { credit_balance: 9 } });
		await service.fault('getCreditBalance', { kind: 'body', body: { credit_balance: 0 } });
		const options = { ...ONE_BY_ONE, minimumCredits: 1 };
		const more = { input: ROWS.slice(0, 1), onRequest: replacedBefore('row 0') };

		const [outcome] = await runRows(options, more);

		expect(outcome).toContain('The account has 0 credits');
		expect(await service.jobIds()).toEqual([]);
	});

	it('jobs that run are waited for with the new one', async () => {
		await service.admin.nextJob({ durationSeconds: 600 });
		clock.hold();
		const { finished } = service.startAgent({}, { apiKey: OLD_KEY, onRequest });
		await clock.advance(60_000);

		replaceKey();
		await clock.advance(600_000);

		const { json } = await toResult(finished);
		expect(json).toMatchObject([{ status: 'completed' }]);
		expect(reads).toBe(3);
	});

	it('a Stop pauses the jobs with the new one', async () => {
		await service.admin.nextJobs(Array<string[]>(3).fill(['running']));
		clock.hold();
		const execution = service.startAgent(
			{ directive: '={{ $json.task }}' },
			{ input: ROWS.slice(0, 3), apiKey: OLD_KEY, onRequest },
		);
		await service.until(async () => expect(await service.jobIds()).toHaveLength(3));

		replaceKey();
		execution.stop();
		await clock.advance(1_000);

		expect(await service.jobStatuses()).toEqual(Array(3).fill('paused'));
	});

	it('a Stop ends the run within a second, however long it takes to read the new one', async () => {
		await service.admin.nextJobs(Array<string[]>(3).fill(['running']));
		clock.hold();
		const execution = service.startAgent({}, { input: [{}, {}, {}], apiKey: OLD_KEY, onRequest });
		await service.until(async () => expect(await service.jobIds()).toHaveLength(3));
		readMs = 31_000;
		replaceKey();
		const sent = (await service.sent('getJob')).length;
		await service.until(async () => {
			expect((await service.sent('getJob')).length).toBeGreaterThan(sent);
		});

		execution.stop();
		await clock.advance(1_000);
		await execution.finished;
		await clock.advance(2 * 60_000);

		expect(await service.jobStatuses()).toEqual(Array(3).fill('paused'));
	});

	it('an equal call of a tool continues with the job of one that has noticed it', async () => {
		await service.admin.nextJob(LONG);
		const call = async (more: Partial<ToolRun> = {}) => {
			const calls = [{ directive: 'Find the price' }];
			const parameters = { options: { maxWaitMinutes: 0.5 } };
			const run = { baseUrl: service.url, apiKey: OLD_KEY, calls, parameters };
			return await runTool({ form: 'run by the engine', executionId: null, ...run, ...more });
		};
		await call({
			onRequest(request) {
				if (request.url.includes('get_job')) replaceKey();
				return onRequest(request);
			},
		});

		const { answers } = await call({ onRequest });

		expect(await service.jobIds()).toHaveLength(1);
		expect(answers[0]).toContain('completed');
	});

	it('neither key is shown', async () => {
		const log = captureLog();
		const said = `The keys ${OLD_KEY} and ${NEW_KEY} are known`;
		await service.fault('startAgent', 422, { skip: 4, body: { detail: said }, times: 2 });

		const outcomes = await runRows(ONE_BY_ONE, { onRequest: replacedBefore('row 1') });

		const text = JSON.stringify([outcomes, log]);
		expect(text).not.toContain(OLD_KEY);
		expect(text).not.toContain(NEW_KEY);
	});
});

describe('When the service refuses the key, nothing is repeated', () => {
	it('if the credential has the same key', async () => {
		accepted = NEW_KEY;

		const outcomes = await runRows();

		expect(outcomes).toEqual(Array(6).fill(BAD_KEY));
		expect(await service.sent('startAgent')).toHaveLength(1);
	});

	it('if the new one is refused, too', async () => {
		accepted = 'sk-other-555555';
		stored = OLD_KEY;
		const more = {
			onRequest: (request: IHttpRequestOptions) => {
				stored = NEW_KEY;
				return onRequest(request);
			},
		};

		const outcomes = await runRows(ONE_BY_ONE, more);

		expect(outcomes).toEqual(Array(6).fill(BAD_KEY));
		expect(await service.sent('startAgent')).toHaveLength(2);
	});

	it('if the credential depends on the item', async () => {
		const input = ROWS.map(({ task }) => ({ task, key: OLD_KEY }));
		const more = { input, apiKey: '={{ $json.key }}', onRequest: replacedBefore('row 1') };

		const outcomes = await runRows(ONE_BY_ONE, more);

		expect(outcomes).toEqual(['completed', ...Array<string>(5).fill(BAD_KEY)]);
	});

	it('if something in front of the service has refused it', async () => {
		stored = OLD_KEY;
		await service.fault('startAgent', 401, { contentType: 'text/html', body: '<p>Sign in</p>' });

		await runRows(ONE_BY_ONE, { input: ROWS.slice(0, 1) });

		expect(reads).toBe(1);
	});
});

it('A key that is refused when the balance is read fails the later rows at once', async () => {
	accepted = NEW_KEY;
	const input = Array.from({ length: 1_000 }, (_, index) => ({ task: `row ${index}` }));
	const began = clock.now();

	const outcomes = await runRows({ minimumCredits: 1 }, { input });

	expect(outcomes).toHaveLength(1_000);
	expect(outcomes.at(-1)).toBe(BAD_KEY);
	expect(clock.now() - began).toBeLessThan(1_000);
});

it('A wait whose key is another one at each read, none of them accepted, ends in a round', async () => {
	await service.admin.nextJob({ statuses: ['running'] });
	const { finished } = service.suspendAgent({}, { apiKey: OLD_KEY, onRequest });
	await clock.sleep(90_000);
	isVolatile = true;
	accepted = 'none';

	const { error } = await finished;

	expect(error).toMatchObject({
		message: expect.stringContaining('could not be checked anymore: HTTP 401'),
	});
});
