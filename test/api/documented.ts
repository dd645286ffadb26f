import type { Api } from './Api';
import { http } from './client';
import { violationsOf } from '../../dev/openApiDocument';

const AGENT = '/v1/run_browser_agent';
const STATUS = '/v1/get_job_status/{job_id}';
const PAUSE = '/v1/pause_job/{job_id}';
const RESUME = '/v1/resume_job/{job_id}';
const FILES = '/v1/get_job_files/{job_id}';
const WORKFLOW = '/workflows/run-with-payload/{workflow_id}';
const BALANCE = '/v1/get_credit_balance';
const DIRECTIVE = { directive: 'Look around' };
const OWN_BROWSER = { ...DIRECTIVE, cdp_url: 'wss://own.example/' };
const FILE = { filename: 'invoice.pdf', content: '%PDF-1.4' };

interface Case {
	title: string;
	path: string;
	status: number;
	method?: 'get' | 'post';
	/** Returns the ID in the path. */
	given?: () => Promise<string>;
	body?: unknown;
	/** Default: that of the account whose credits are counted. */
	key?: string;
}

/** Tests each response, with its status, against its schema. */
export function testDocumented(api: Api): void {
	const { driver } = api;
	const { unlimitedKey, forbiddenKey } = driver.differences;

	const start = () => api.startJob();
	const endedJob = () => api.endedJob({ files: [FILE] });
	const failedJob = () => api.endedJob({ outcome: 'failed', error: 'Login failed' });
	const pausedJob = async () => {
		const jobId = await api.startJob();
		await api.client.pause(jobId);
		return jobId;
	};

	const workflow = async () => driver.workflowId;
	const noCredits = async () => {
		await driver.setCredits(0);
		return '';
	};
	const tenStarts = async () => {
		await driver.limitRates();
		for (let count = 0; count < 10; count++) await api.client.start({});
		return '';
	};

	const cases: Case[] = [
		{ title: 'a start', path: AGENT, status: 200, body: DIRECTIVE },
		{ title: "a start in the client's own browser", path: AGENT, status: 200, body: OWN_BROWSER },
		{ title: 'a blank directive', path: AGENT, status: 400, body: { directive: ' ' } },
		{ title: 'a start with a wrong type', path: AGENT, status: 422, body: { directive: 5 } },
		{ title: 'a start that is no JSON', path: AGENT, status: 422, body: '{' },
		{ title: 'a start without a key', path: AGENT, status: 401, key: '', body: DIRECTIVE },
		{
			title: 'a start without credits',
			path: AGENT,
			status: 402,
			given: noCredits,
			body: DIRECTIVE,
		},
		{
			title: 'a start above the limit',
			path: AGENT,
			status: 429,
			given: tenStarts,
			body: DIRECTIVE,
		},
		{ title: 'a poll of a running job', path: STATUS, status: 200, given: start },
		{ title: 'a poll of a completed job', path: STATUS, status: 200, given: endedJob },
		{ title: 'a poll of a failed job', path: STATUS, status: 200, given: failedJob },
		{ title: 'a poll of an unknown job', path: STATUS, status: 404, given: async () => 'job_1' },
		{ title: 'a pause', path: PAUSE, status: 200, method: 'post', given: start },
		{ title: 'a second pause', path: PAUSE, status: 400, method: 'post', given: pausedJob },
		{ title: 'a resume', path: RESUME, status: 200, method: 'post', given: pausedJob },
		{ title: 'a list of no files', path: FILES, status: 200, given: start },
		{ title: 'a list of files', path: FILES, status: 200, given: endedJob },
		{ title: 'a workflow', path: WORKFLOW, status: 200, given: workflow, body: {} },
		{ title: 'an unknown workflow', path: WORKFLOW, status: 404, body: {} },
		{ title: 'a balance', path: BALANCE, status: 200 },
		{ title: 'a health check', path: '/v1/health', status: 200 },
	];
	if (unlimitedKey !== undefined) {
		cases.push({ title: 'an unlimited balance', path: BALANCE, status: 200, key: unlimitedKey });
	}
	if (forbiddenKey !== undefined) {
		cases.push({
			title: 'a key without permission',
			path: BALANCE,
			status: 403,
			key: forbiddenKey,
		});
	}

	describe('The OpenAPI document allows the response to', () => {
		it.each(cases)('$title', async ({ path, status, given, body, key = driver.key, ...call }) => {
			const id = (await given?.()) ?? 'none';
			const method = call.method ?? (body === undefined ? 'get' : 'post');

			const response = await http.request({
				method,
				url: driver.url + path.replace(/\{\w+\}/, id),
				headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
				data: body,
			});

			expect(response.status).toBe(status);
			expect(violationsOf(response.data, status, path, method)).toEqual([]);
		});
	});
}
