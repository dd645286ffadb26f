/** Before a run, the editor shows the fields of an output as the files in __schema__ have them. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import { useSandbox, type SandboxRun } from '../../support/useSandbox';

const FOLDER = resolve(__dirname, '../../../nodes/BrowserAgent/__schema__/v1.0.0');

const service = useSandbox();

function fieldsIn(schemaFile: string): string[] {
	const schema = readFileSync(join(FOLDER, schemaFile), 'utf8');
	return Object.keys((JSON.parse(schema) as { properties: object }).properties);
}

/** The names of all fields that items of these runs have. */
function fieldsOf(items: IDataObject[]): string[] {
	return [...new Set(items.flatMap((item) => Object.keys(item)))].sort();
}

async function run(resource: string, operation: string, more: Partial<SandboxRun> = {}) {
	const { json, error } = await service.run({ resource, operation, ...more });
	expect(error).toBeUndefined();
	return json;
}

/** Polls show every field that a job can have. */
async function showAllFields() {
	const links = {
		live_url: 'https://live.example.com',
		history_url: 'https://history.example.com',
	};
	const body = {
		status: 'completed',
		output: 'Done',
		error: 'A warning',
		credits_used: 5,
		...links,
	};
	await service.fault('getJob', { kind: 'body', body, times: 'always' });
}

/** Runs that wait and that don't. */
async function runBothWays(resource: string, parameters: IDataObject) {
	await showAllFields();
	const started = { ...parameters, waitUntilFinished: false };
	return [
		...(await run(resource, 'run', { parameters: parameters as SandboxRun['parameters'] })),
		...(await run(resource, 'run', { parameters: started as SandboxRun['parameters'] })),
	];
}

async function runOnJob(operation: string, statuses: string[]) {
	const jobId = await service.givenJob(statuses);
	if (operation === 'get' || operation === 'wait') await showAllFields();
	return await run('job', operation, { parameters: { jobId } });
}

async function runOnFiles(operation: string) {
	const files = [{ filename: 'a.txt', content: 'A' }];
	const jobId = await service.givenJob({ statuses: ['completed'], files });
	return await run('jobFile', operation, { parameters: { jobId } });
}

const RUNS: Array<[string, () => Promise<IDataObject[]>]> = [
	['agent/run.json', async () => await runBothWays('agent', { directive: 'Go' })],
	[
		'workflow/run.json',
		async () => await runBothWays('workflow', { workflowId: 'wf_daily_report' }),
	],
	['job/get.json', async () => await runOnJob('get', ['running'])],
	['job/wait.json', async () => await runOnJob('wait', ['running'])],
	['job/resume.json', async () => await runOnJob('resume', ['paused', 'running'])],
	['jobFile/getAll.json', async () => await runOnFiles('getAll')],
	['jobFile/download.json', async () => await runOnFiles('download')],
	[
		'job/pause.json',
		async () => {
			const body = { status: 'success', message: 'Paused', data: { status: 'paused' } };
			await service.fault('pauseJob', { kind: 'body', body });
			return await runOnJob('pause', ['running']);
		},
	],
	[
		'account/getCreditBalance.json',
		async () => {
			const keys = ['sandbox-free-key', 'sandbox-enterprise-key'];
			const balances = keys.map(
				async (apiKey) => await run('account', 'getCreditBalance', { apiKey }),
			);
			return (await Promise.all(balances)).flat();
		},
	],
	[
		'service/getHealth.json',
		async () => {
			const unreachable = { baseUrl: 'http://127.0.0.1:1' };
			return [
				...(await run('service', 'getHealth')),
				...(await run('service', 'getHealth', unreachable)),
			];
		},
	],
];

it.each(RUNS)(
	'The editor shows before a run the fields that items have, in their order: %s',
	async (file, runs) => {
		const items = await runs();

		const fields = fieldsIn(file);
		const [first = {}] = items;
		expect([...fields].sort()).toEqual(fieldsOf(items));
		expect(fields.filter((field) => field in first)).toEqual(Object.keys(first));
	},
);
