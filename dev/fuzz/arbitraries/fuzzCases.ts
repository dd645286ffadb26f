import fc, { type Arbitrary } from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { TOKENS, type FuzzCase } from '../FuzzCase';
import { script } from './replies';

const FORMATS: INodeParameters[] = [
	{},
	{ outputFormat: 'json' },
	{ outputFormat: 'example', outputExample: '{"price": 1}', simplify: false },
	// A schema that leads to itself.
	{ outputFormat: 'schema', outputSchema: '{"items": {"$ref": "#"}}' },
];
const KEYS = ['key-5ecret-0123456789', 'sk-live-4f9a-77ab_90cd.e1f2', 'sk%2Flive/4f9a+77ab=='];
const MAX_WAIT_MINUTES = 0.5;
const OPTIONS: INodeParameters[] = [
	{},
	{ downloadFiles: true, maxFileSizeMb: 1, maxAttempts: 2 },
	{ onJobFailure: 'return', onTimeout: 'return', onPaused: 'return', onInvalidOutput: 'return' },
	{ pauseJob: 'always', minimumCredits: 50 },
	{ returnCdpUrl: true },
];
const WAITS: INodeParameters[] = [
	{ resource: 'agent', operation: 'run', directive: 'Find the price' },
	{ resource: 'agent', operation: 'run', directive: 'Go', browser: 'own', cdpUrl: TOKENS.cdpUrl },
	{ resource: 'workflow', operation: 'run', workflowId: 'wf_1' },
	{ resource: 'job', operation: 'wait', jobId: '={{ $json.job_id }}' },
];
const OTHERS: INodeParameters[] = [
	{ resource: 'agent', operation: 'run', directive: 'Go', waitUntilFinished: false },
	{ resource: 'job', operation: 'get', jobId: 'job_1', simplify: false },
	{ resource: 'job', operation: 'pause', jobId: 'job_1' },
	{ resource: 'job', operation: 'resume', jobId: 'job_1' },
	{ resource: 'jobFile', operation: 'download', jobId: 'job_1' },
	{ resource: 'jobFile', operation: 'getAll', jobId: 'job_1' },
	{ resource: 'account', operation: 'getCreditBalance' },
	{ resource: 'service', operation: 'getHealth' },
];
const TRIGGERS: INodeParameters[] = [
	{ jobSource: 'ids', jobIds: 'job_1, job_2' },
	{ jobSource: 'url', jobListUrl: `${TOKENS.fileHost}/list`, outputFormat: 'json' },
];
const SETTINGS: Array<FuzzCase['settings']> = [
	{},
	{ onError: 'continueRegularOutput' },
	{ retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
];

const waiting = fc
	.tuple(fc.constantFrom(...WAITS), fc.constantFrom(...FORMATS), fc.constantFrom(...OPTIONS))
	.map(([call, format, options]) => ({
		...call,
		...format,
		options: { ...options, maxWaitMinutes: MAX_WAIT_MINUTES },
	}));

/** Cases of both nodes: calls that users make, and answers that nobody expects. */
export const fuzzCases: Arbitrary<FuzzCase> = fc.oneof(
	{ weight: 6, arbitrary: casesOf('agent', waiting) },
	{ weight: 3, arbitrary: casesOf('agent', fc.constantFrom(...OTHERS)) },
	{ weight: 3, arbitrary: casesOf('trigger', fc.constantFrom(...TRIGGERS)) },
);

function casesOf(
	node: FuzzCase['node'],
	parameters: Arbitrary<INodeParameters>,
): Arbitrary<FuzzCase> {
	const settings = fc.constantFrom(...SETTINGS);
	const key = fc.constantFrom(...KEYS);
	return fc.record({ node: fc.constant(node), key, parameters, settings, script });
}
