import type { Failure, INodeProperties, IPollFunctions, NodeHint } from 'n8n-workflow';

import { NodeFailure } from '../errors/NodeFailure';
import { ServiceError } from '../errors/ServiceError';
import { CONNECTION_ADVICE } from '../errors/serviceErrorKinds';
import { REPOSITORY_URL } from '../package';
import { choice } from '../parameters/field';
import { readJobIds } from '../parameters/ids';
import { toText } from '../parameters/values';
import { lacksScheme } from '../service/baseUrl';
import { isJsonTooDeep, parseJson } from '../service/parseJson';
import type { ServiceClient } from '../service/ServiceClient';
import { MB } from '../units';

const MAX_LIST_BYTES = 5 * MB;
const EXPECTED = `It must return a JSON array of job IDs, or of objects with 'job_id', e.g. ["job_1", {"job_id": "job_2"}].`;
// If a workflow can't be published, n8n shows only the message of the error.
const PUBLISH_FIRST = 'If it is an n8n webhook, publish its workflow first';
const CHECK_WEBHOOK = `Enter the production URL of a webhook. ${EXPECTED}`;
const CHECK_REACH = `${EXPECTED} Check that n8n can reach the address without signing in.`;
const PAIR = `${REPOSITORY_URL}/blob/main/examples/README.md#trigger-pair`;

const jobSourceField = choice({
	displayName: 'Jobs to Watch',
	name: 'jobSource',
	type: 'options',
	options: [
		{ name: 'By ID', value: 'ids', description: 'Enter job IDs, or use an expression' },
		{
			name: 'From URL',
			value: 'url',
			description:
				'Get the list of job IDs from a URL at every poll, for example from an n8n webhook',
		},
	],
	default: 'ids',
	description: 'Where the job IDs come from',
	hint: `The service's API can't list jobs, so the trigger watches only those that you name. <a href="${PAIR}" target="_blank">Two workflows to import</a>`,
});

export const jobsToWatchFields: INodeProperties[] = [
	jobSourceField.property,
	{
		displayName: 'Job IDs',
		name: 'jobIds',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. job_1a2b3c, job_4d5e6f',
		description:
			'IDs of the jobs to watch, separated by commas, spaces or line breaks. An expression is evaluated at every poll and can return an array.',
		displayOptions: { show: { jobSource: ['ids'] } },
	},
	{
		displayName: 'Job List URL',
		name: 'jobListUrl',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://n8n.example.com/webhook/open-jobs',
		description:
			'URL that responds to a GET request with a JSON array of job IDs, or of objects with job_id. The API key is not sent.',
		displayOptions: { show: { jobSource: ['url'] } },
	},
];

export const emptyListHint: NodeHint = {
	message:
		"'Job IDs' is empty, so the trigger watches no jobs. Add the IDs of the jobs, or an expression that returns them.",
	type: 'warning',
	location: 'ndv',
	whenToDisplay: 'always',
	displayCondition:
		'={{ $parameter["jobSource"] === "ids" && [].concat($parameter["jobIds"] ?? []).join("").trim() === "" }}',
};

/**
 * Reads the IDs of the jobs to watch, each once, in the list's order. Throws a `NodeFailure` if the
 * list can't be read, including when `signal` is aborted.
 */
export async function readJobsToWatch(
	context: IPollFunctions,
	client: ServiceClient,
	signal: AbortSignal,
): Promise<string[]> {
	if (jobSourceField.read(context.getNodeParameter('jobSource')) === 'ids') {
		return readJobIds(context.getNodeParameter('jobIds'), 'Job IDs');
	}
	const url = toText(context.getNodeParameter('jobListUrl')).trim();
	return readJobIds(await fetchList(url, client, signal), 'Job List URL');
}

async function fetchList(
	url: string,
	client: ServiceClient,
	signal: AbortSignal,
): Promise<unknown[]> {
	if (lacksScheme(url)) {
		throw listError('has no scheme', undefined, "Put 'https://' or 'http://' in front of it.");
	}
	if (!/^https?:\/\/[^/]/i.test(url)) throw listError('is not a valid URL');
	const text = await client.readUrl(url, { maxBytes: MAX_LIST_BYTES, signal }).catch((error) => {
		throw error instanceof ServiceError ? unreadableListError(error) : error;
	});
	// n8n's Respond to Webhook node sends an empty body if there are no items.
	const list = text.trim() === '' ? [] : parseJson(text);
	if (Array.isArray(list)) return list;
	throw listError(
		isJsonTooDeep(text)
			? 'returned a list that is nested too deeply'
			: 'did not return a list of jobs',
	);
}

function unreadableListError(error: ServiceError): NodeFailure {
	const { isTransient, kind, facts } = error;
	const { statusCode, code = '', detail = 'it took too long', retryAfterMs } = facts;
	const reason = statusCode === undefined ? detail : `HTTP ${statusCode}`;
	const isTemporary = isTransient || kind === 'aborted';
	const failure: Failure | undefined = isTemporary
		? { cause: 'temporarily-unavailable', retryAfterMs }
		: undefined;
	const what = `could not be read: ${reason}`;
	return statusCode === 404
		? listError(`${what}. ${PUBLISH_FIRST}`, failure, CHECK_WEBHOOK)
		: listError(what, failure, CONNECTION_ADVICE[code]);
}

function listError(
	what: string,
	failure: Failure = { cause: 'configuration-invalid' },
	description = CHECK_REACH,
): NodeFailure {
	// The response is not quoted: the user who entered the URL may not be allowed to read it.
	return new NodeFailure(`'Job List URL' ${what}`, { description, failure });
}
