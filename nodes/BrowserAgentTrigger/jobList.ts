import type { INodeProperties, IPollFunctions } from 'n8n-workflow';

import { isPathSegment } from '../service/pathSegment';
import type { ServiceClient } from '../service/ServiceClient';
import { describeServiceError } from '../errors/describeServiceError';
import { UserError, type UserErrorDetails } from '../errors/UserError';
import { asThrown, ServiceError } from '../errors/ServiceError';
import { currentClock } from '../async/clock';
import { withTimeLimit } from '../async/timeLimit';

const LONGEST_LIST_BYTES = 5 * 1024 * 1024;
const LIST_TIMEOUT_MS = 20_000;
const SHOWN_CHARACTERS = 80;
const EXPECTED =
	'Expected is a JSON array of job IDs, or of objects with \'job_id\', e.g. ["job_1", {"job_id": "job_2"}].';

export const jobSourceFields: INodeProperties[] = [
	{
		displayName: 'Jobs to Watch',
		name: 'jobSource',
		type: 'options',
		options: [
			{
				name: 'IDs',
				value: 'ids',
				description: 'The job IDs are entered here, or come from an expression',
			},
			{
				name: 'List at a URL',
				value: 'url',
				description: 'The job IDs are fetched at every poll, from a webhook of n8n for example',
			},
		],
		default: 'ids',
		description: 'Where the jobs to watch come from',
	},
	{
		displayName: 'Job IDs',
		name: 'jobIds',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. job_1a2b3c, job_4d5e6f',
		description:
			'IDs with commas, spaces or new lines between them. An expression is evaluated at every poll, and may give an array.',
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
			'Address that answers GET with a JSON array of job IDs, or of objects with job_id. The API key is not sent to it.',
		displayOptions: { show: { jobSource: ['url'] } },
	},
];

/**
 * The jobs to watch at this poll, each once, in the order of the list.
 * Throws a `UserError` when the list cannot be had or is none.
 */
export async function readJobIds(
	context: IPollFunctions,
	client: ServiceClient,
): Promise<string[]> {
	const source = context.getNodeParameter('jobSource');
	const list =
		source === 'url'
			? await fetchList(String(context.getNodeParameter('jobListUrl') ?? ''), client)
			: splitList(context.getNodeParameter('jobIds'));
	const field = source === 'url' ? 'Job List URL' : 'Job IDs';
	const entries = list.filter((entry) => entry !== null && entry !== undefined && entry !== '');
	return [...new Set(entries.map((entry) => toJobId(entry, field, client)))];
}

function splitList(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (value === undefined || value === null) return [];
	if (typeof value === 'object') return [value];
	const text = String(value as string | number);
	const array = text.trim().startsWith('[') ? parse(text) : undefined;
	if (Array.isArray(array)) return array;
	return text.split(/[\s,]+/).filter((jobId) => jobId !== '');
}

async function fetchList(url: string, client: ServiceClient): Promise<unknown[]> {
	if (!/^https?:\/\/[^/]/i.test(url.trim())) {
		throw wrongSetting("'Job List URL' is not a web address", 'Enter it with http:// or https://.');
	}
	const text = await fetchText(url.trim(), client);
	// Some servers begin a text with a mark of its byte order.
	const list = parse(text.replace(/^\ufeff/, ''));
	if (!Array.isArray(list)) {
		throw wrongSetting(
			"What 'Job List URL' answered is not a list of jobs",
			text.trim() === ''
				? `${EXPECTED} The answer is empty.`
				: `${EXPECTED} The answer begins with: ${shownStart(text, client)}`,
		);
	}
	return list;
}

async function fetchText(url: string, client: ServiceClient): Promise<string> {
	try {
		return await withTimeLimit(
			currentClock(),
			LIST_TIMEOUT_MS,
			async (signal) => await client.getText(url, { maxBytes: LONGEST_LIST_BYTES, signal }),
		);
	} catch (error) {
		throw asThrown(error instanceof ServiceError ? unreachableList(error) : error);
	}
}

function unreachableList(error: ServiceError): UserError {
	const { kind, facts } = error;
	if (kind === 'tooLarge') {
		return wrongSetting(
			`What 'Job List URL' answered is larger than ${LONGEST_LIST_BYTES / 1024 / 1024} MB`,
			EXPECTED,
		);
	}
	const { failure } = describeServiceError(error).details;
	const isTransient = error.isTransient || kind === 'stopped';
	return new UserError(
		facts.statusCode === undefined
			? `'Job List URL' could not be reached: ${facts.detail ?? 'it took too long'}`
			: `'Job List URL' answered with HTTP ${facts.statusCode}`,
		{
			description: `${EXPECTED} Check that the address can be reached from n8n without signing in.`,
			failure: isTransient
				? (failure ?? { cause: 'temporarily-unavailable' })
				: { cause: 'configuration-invalid' },
		},
	);
}

function toJobId(entry: unknown, field: string, client: ServiceClient): string {
	const value = isRecord(entry) ? entry.job_id : entry;
	// A fraction is no ID, and of a number this large the last digits are lost already.
	const isText = typeof value === 'string' || Number.isSafeInteger(value);
	const jobId = isText ? String(value).trim() : '';
	if (!isPathSegment(jobId)) {
		throw wrongSetting(
			`'${field}' has an entry that is not a job ID: ${shownStart(entry, client)}`,
			field === 'Job IDs' ? 'A job ID has no spaces and no slashes in it.' : EXPECTED,
		);
	}
	return jobId;
}

function wrongSetting(message: string, description: string): UserError {
	const failure: UserErrorDetails['failure'] = { cause: 'configuration-invalid' };
	return new UserError(message, { description, failure });
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shownStart(value: unknown, client: ServiceClient): string {
	const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
	return client.clean(text).slice(0, SHOWN_CHARACTERS);
}
