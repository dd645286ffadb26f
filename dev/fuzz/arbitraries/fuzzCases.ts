import fc, { type Arbitrary } from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { ENDPOINT_NAMES } from '../../../api/endpoints';
import { TOKENS, type FuzzCase } from '../FuzzCase';
import { faultsAt, hostileJobs } from './hostileFaults';
import { settings, waitOptions } from './runs';

const FORMATS: INodeParameters[] = [
	{},
	{ outputFormat: 'json' },
	{ outputFormat: 'example', outputExample: '{"price": 1}', simplify: false },
	// A schema that leads to itself.
	{ outputFormat: 'schema', outputSchema: '{"items": {"$ref": "#"}}' },
];
const KEYS = ['key-5ecret-0123456789', 'sk-live-4f9a-77ab_90cd.e1f2', 'sk%2Flive/4f9a+77ab=='];
const OPTIONS: INodeParameters[] = [
	{},
	{ downloadFiles: true, maxFileSizeMb: 1 },
	{ returnInsteadOfFailing: ['invalidOutput'] },
	{ minimumCredits: 50 },
	{ returnCdpUrl: true },
];
// Two items of a run can't share a browser.
const OWN_BROWSER = { cdpUrl: `={{ '${TOKENS.cdpUrl}&item=' + $itemIndex }}` };
const WAITS: INodeParameters[] = [
	{ resource: 'agent', operation: 'run', directive: 'Find the price' },
	{ resource: 'agent', operation: 'run', directive: 'Go', browserConfig: OWN_BROWSER },
	{ resource: 'workflow', operation: 'run', workflowId: 'wf_daily_report' },
	{ resource: 'job', operation: 'wait', jobId: '={{ $json.job_id }}' },
];
const OTHERS: INodeParameters[] = [
	{ resource: 'agent', operation: 'run', directive: 'Go', waitUntilFinished: false },
	{ resource: 'job', operation: 'get', jobId: TOKENS.firstJob, simplify: false },
	{ resource: 'job', operation: 'pause', jobId: TOKENS.firstJob },
	{ resource: 'job', operation: 'resume', jobId: TOKENS.firstJob },
	{ resource: 'jobFile', operation: 'download', jobId: TOKENS.firstJob },
	{ resource: 'jobFile', operation: 'getAll', jobId: TOKENS.firstJob },
	{ resource: 'account', operation: 'getCreditBalance' },
	{ resource: 'service', operation: 'getHealth' },
];
const TRIGGERS: INodeParameters[] = [
	{ jobSource: 'ids', jobIds: `${TOKENS.firstJob}, ${TOKENS.secondJob}` },
	{ jobSource: 'url', jobListUrl: `${TOKENS.fileHost}/list`, outputFormat: 'json' },
];

const waiting = fc
	.tuple(
		fc.constantFrom(...WAITS),
		fc.constantFrom(...FORMATS),
		fc.record(waitOptions, { requiredKeys: ['maxWaitMinutes'] }),
		fc.constantFrom(...OPTIONS),
	)
	.map(([call, format, options, more]) => ({
		...call,
		...format,
		options: { ...options, ...more },
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
	const key = fc.constantFrom(...KEYS);
	const faults = fc.tuple(...ENDPOINT_NAMES.map(faultsAt)).map((all) => all.flat());
	const jobs = fc.array(hostileJobs, { minLength: 2, maxLength: 4 });
	return fc.record({ node: fc.constant(node), key, parameters, settings, jobs, faults });
}
