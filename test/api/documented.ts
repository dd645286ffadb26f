import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Validator } from '@cfworker/json-schema';
import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator';
import { parse } from 'yaml';

import { ENTERPRISE, http, PRO, setUpSandbox } from './setUpSandbox';

const ROOT = join(__dirname, '../../..');

interface Response {
	$ref?: string;
	content?: { 'application/json': { schema: object } };
}

const document = parse(readFileSync(join(ROOT, 'api/openapi.yaml'), 'utf8'));

/** The sentences of all `x-assumed`, those of status codes aside. */
function assumptionsIn(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => {
		if (key !== 'x-assumed') return assumptionsIn(inner);
		return [inner as string | string[]].flat().filter((text) => !/^\d+$/.test(text));
	});
}

/** What is wrong with the body of a response with this status, by the document. */
function violationsOf(body: unknown, status: number, path: string, method: string): string[] {
	const responses = document.paths[path][method].responses as Record<string, Response>;
	const response = responses[status];
	if (response === undefined) return [`The document has no ${status} for ${method} ${path}`];

	const name = response.$ref?.split('/').at(-1) ?? '';
	const { content }: Response = name === '' ? response : document.components.responses[name];
	if (content === undefined) return body === '' ? [] : ['The document has no body for it'];
	const { schema } = content['application/json'];
	const validator = new Validator({ ...schema, components: document.components }, '2020-12', false);
	return validator.validate(body).errors.map(({ instanceLocation, error }) => {
		return `${instanceLocation}: ${error}`;
	});
}

describe('The OpenAPI document', () => {
	it('is valid OpenAPI', () => {
		const validator = new OpenAPISchemaValidator({
			version: document.openapi,
			validateApiSpec: true,
		});

		expect(validator.validate(document)).toEqual({ errors: [] });
	});

	it('has its assumptions listed on the page about the sandbox', () => {
		const page = readFileSync(join(ROOT, 'docs/sandbox.md'), 'utf8');
		const [, section = ''] =
			/^## What it assumes\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(page) ?? [];
		const listed = [...section.matchAll(/^- (.+)$/gm)].map(([, sentence]) => sentence);

		expect(listed.sort()).toEqual([...new Set(assumptionsIn(document))].sort());
	});
});

describe('The OpenAPI document allows the response of the sandbox to', () => {
	const sandbox = setUpSandbox({ limits: 'on' });

	const AGENT = '/v1/run_browser_agent';
	const STATUS = '/v1/get_job_status/{job_id}';
	const PAUSE = '/v1/pause_job/{job_id}';
	const RESUME = '/v1/resume_job/{job_id}';
	const FILES = '/v1/get_job_files/{job_id}';
	const WORKFLOW = '/workflows/run-with-payload/{workflow_id}';
	const BALANCE = '/v1/get_credit_balance';
	const DIRECTIVE = { directive: 'Print the page to a PDF' };
	const OWN_BROWSER = { ...DIRECTIVE, cdp_url: 'wss://own.example/' };

	const start = async (body: object = DIRECTIVE) =>
		(await sandbox.client.start(body)).data.job_id as string;
	const finishedJob = async () => {
		const jobId = await start();
		await sandbox.admin.advance(10);
		return jobId;
	};
	const pausedJob = async () => {
		const jobId = await start();
		await sandbox.client.pause(jobId);
		return jobId;
	};

	const workflow = async () => 'wf_daily_report';
	const noCredits = async () => {
		await sandbox.admin.setCredits(PRO, 0);
		return '';
	};
	const tenStarts = async () => {
		for (let count = 0; count < 10; count++) await start();
		return '';
	};

	it.each<{
		title: string;
		path: string;
		status: number;
		method?: 'get' | 'post';
		/** Returns the ID in the path. */
		given?: () => Promise<string>;
		body?: unknown;
		key?: string;
	}>([
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
		{ title: 'a poll of a completed job', path: STATUS, status: 200, given: finishedJob },
		{ title: 'a poll of an unknown job', path: STATUS, status: 404, given: async () => 'job_1' },
		{ title: 'a pause', path: PAUSE, status: 200, method: 'post', given: start },
		{ title: 'a second pause', path: PAUSE, status: 400, method: 'post', given: pausedJob },
		{ title: 'a resume', path: RESUME, status: 200, method: 'post', given: pausedJob },
		{ title: 'a list of no files', path: FILES, status: 200, given: start },
		{ title: 'a list of files', path: FILES, status: 200, given: finishedJob },
		{ title: 'a workflow', path: WORKFLOW, status: 200, given: workflow, body: {} },
		{ title: 'an unknown workflow', path: WORKFLOW, status: 404, body: {} },
		{ title: 'a balance', path: BALANCE, status: 200 },
		{ title: 'an unlimited balance', path: BALANCE, status: 200, key: ENTERPRISE },
		{ title: 'a health check', path: '/v1/health', status: 200 },
	])('$title', async ({ path, status, given, body, key = PRO, ...call }) => {
		const id = (await given?.()) ?? 'none';
		const method = call.method ?? (body === undefined ? 'get' : 'post');

		const response = await http.request({
			method,
			url: sandbox.url + path.replace(/\{\w+\}/, id),
			headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
			data: body,
		});

		expect(response.status).toBe(status);
		expect(violationsOf(response.data, status, path, method)).toEqual([]);
	});
});
