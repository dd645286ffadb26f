import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { NodeFailure } from '../errors/NodeFailure';
import { MAX_NAME_CHARACTERS, toHtmlLink, toPlainText } from '../errors/plainText';
import { logUnexpected, toSafeParts, toSafeText, type ErrorSource } from '../errors/toNodeError';
import { addJobToError, lastSeen, shownJobs } from '../jobs/fate';
import { omitUndefined, withoutCdpUrls } from '../jobs/item';
import { jobsIn, jobsOf, resultsOf, type Item, type OutputResult, type Run } from './Run';

/**
 * Returns the output of a run, each item paired with the input item that it comes from. Shows
 * hints: the jobs counted by status, or links to the pages of a single job.
 */
export function toOutput(run: Run): INodeExecutionData[] {
	for (const hint of [countHint(run), linkHint(run)]) {
		if (hint !== undefined) run.showHint(hint);
	}
	return run.items.flatMap((item) =>
		resultsOf(item).flatMap((result): INodeExecutionData[] => {
			if (result.kind === 'suspended') return [];
			if (result.kind === 'output') return [toOutputItem(run, item, result)];
			return [toErrorItem(result.error, run, item)];
		}),
	);
}

function toOutputItem(run: Run, { index }: Item, { json, binary }: OutputResult) {
	const redactData = (data: unknown) => run.clients.redactData(data);
	const shown = run.isTool ? toToolItem(json, redactData) : json;
	const item = { json: shown, pairedItem: { item: index } };
	return binary === undefined ? item : { ...item, binary };
}

/** Counts the jobs by status; undefined for a single job, whose item shows its status. */
function countHint(run: Run): string | undefined {
	const records = jobsIn(run).map(({ record }) => record);
	const known = records.filter(({ job_id }) => job_id !== undefined);
	if (known.length < 2) return undefined;

	const counts = new Map<string, number>();
	for (const record of known) {
		const label = lastSeen(record);
		counts.set(label, (counts.get(label) ?? 0) + 1);
	}
	const statuses = [...counts].map(([label, count]) => {
		return `${count} ${toPlainText(run.redact(label), MAX_NAME_CHARACTERS)}`;
	});
	return toPlainText(`${known.length} jobs: ${statuses.join(', ')}.`);
}

/**
 * Returns a hint with links to the live view and the history of a run's only job, because its item
 * shows their addresses as text. Undefined if there are several items, or no links.
 */
export function linkHint({ items }: Run): string | undefined {
	const [first, ...others] = items.flatMap(resultsOf);
	if (first === undefined || others.length > 0 || first.kind === 'failed') return undefined;
	const links = Object.entries(first.links ?? {}).map(([name, url]) => toHtmlLink(url, name));
	return links.length === 0 ? undefined : `Open the job: ${links.join(' · ')}`;
}

/**
 * Returns the output item for an input item that failed, for both forms of Continue On Fail.
 * Logs an unexpected error.
 *
 * The `INodeExecutionData` must not set `error`: n8n would replace the JSON with that error's
 * message. The JSON must have no fields but `error` and `details`: otherwise, n8n wouldn't send
 * the item to the error output.
 */
export function toErrorItem(
	failure: NodeFailure,
	source: ErrorSource,
	item: Pick<Item, 'index' | 'entry'>,
): INodeExecutionData {
	const jobs = jobsOf(item);
	const error = addJobToError(failure, jobs);
	const { jobIds = [], filename } = error.details;
	const [jobId, ...others] = jobIds;
	const named = jobId === undefined || others.length > 0 ? {} : { job_id: jobId };
	const known = shownJobs(jobs, (status) =>
		toPlainText(source.redact(status), MAX_NAME_CHARACTERS),
	);
	// A tool's message has the description already.
	const { description } = source.isTool === true ? {} : toSafeParts(error, source).details;
	const details = omitUndefined({ ...(known ?? named), description, filename });
	// Doesn't create an n8n error: its constructor is slow, because it walks the stack.
	const { message } = toSafeText(error, source);
	logUnexpected(error, source);
	const json = Object.keys(details).length > 0 ? { error: message, details } : { error: message };
	return { json, pairedItem: { item: item.index } };
}

/**
 * Returns an item in the form passed to a language model: without `cdp_url` fields, however deep,
 * and with the service's own `response` redacted. A response of more than 20,000 characters becomes
 * JSON text.
 */
function toToolItem(json: IDataObject, redactData: (data: unknown) => unknown): IDataObject {
	const shown = withoutCdpUrls(json) as IDataObject;
	if (!('response' in shown)) return shown;
	return { ...shown, response: redactData(shown.response) as IDataObject[string] };
}
