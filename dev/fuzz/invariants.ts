import type {
	INodeExecutionData,
	INodeParameters,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { toId } from '../../nodes/service/toId';
import type { LoggedRequest } from '../sandbox/types';
import { INPUT, TOKENS, type FuzzCase } from './FuzzCase';
import { outcomeOf, placesWithout } from './jobPromises';
import type { Observation } from './Observation';
import { secretsIn } from './secrets';

/** How a case breaks a promise. */
export interface Violation {
	rule: string;
	evidence: string;
	/**
	 * Whether it may come from the machine's load: it counts only if it comes again. On a busy
	 * machine a body that drips looks as if it waited for time to pass, and the call times out.
	 */
	mayBeLoad?: boolean;
}

const MAX_BLOCKED_MS = 300;
// By an answer of several megabytes.
const MAX_BLOCKED_BY_LARGE_MS = 700;
const LARGE_BYTES = 1024 * 1024;
const MAX_MESSAGE_CHARACTERS = 5_000;
const MAX_LINE_CHARACTERS = 30_000;
const MAX_EVIDENCE_CHARACTERS = 500;
// Words of the JavaScript engine instead of ours.
const CRASH =
	/cannot read prop|is not a function|is not iterable|\[object Object\]|maximum call stack|cannot convert|invalid string length|undefined/i;
// The only markup of an error, as `toHtmlLink` writes it: the address is shown, too.
const LINK = /<a href="https?:[^"'<>]*" target="_blank">([^<>]*)<\/a>/g;
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>]/u;

/**
 * The promises that a case has broken: those about bytes, and those about jobs that no response may
 * break. What may happen in which order is the model's subject, in test/support/jobModel.
 */
export function violations(fuzzCase: FuzzCase, observation: Observation): Violation[] {
	if (!observation.hasEnded) {
		return [violation('ends in time', 'it was still running', { mayBeLoad: true })];
	}
	return [
		...observation.unhandled.map((reason) => violation('no unhandled rejection', String(reason))),
		...blocked(fuzzCase, observation),
		...badErrors(observation),
		...badLines('log lines are safe', observation.log),
		...badLines('hints are safe', observation.hints),
		...leaks(fuzzCase, observation),
		...badRequests(observation),
		...badStarts(fuzzCase, observation),
		...lostJobs(observation),
		...observation.outputs.flat().flatMap((item) => badItem(fuzzCase.node, item)),
	];
}

function blocked({ faults }: FuzzCase, { blockedMs }: Observation): Violation[] {
	const isLarge = faults.some(
		(fault) =>
			'reply' in fault &&
			fault.reply.body.kind === 'large' &&
			fault.reply.body.bytes >= LARGE_BYTES,
	);
	if (blockedMs < (isLarge ? MAX_BLOCKED_BY_LARGE_MS : MAX_BLOCKED_MS)) return [];
	const evidence = `${Math.round(blockedMs)} ms`;
	return [violation('the event loop is free', evidence, { mayBeLoad: true })];
}

function badErrors({ errors }: Observation): Violation[] {
	return errors.flatMap((error) => {
		if (!isNodeError(error)) return [violation("errors are n8n's", describe(error))];
		const texts = [error.message, (error.description ?? '').replace(LINK, '$1')];
		const isReadable =
			error.message.trim() !== '' &&
			!CRASH.test(error.message) &&
			texts.every((text) => text.length <= MAX_MESSAGE_CHARACTERS && isSafe(text));
		return isReadable ? [] : [violation('errors are readable', texts.join(' | '))];
	});
}

// By its name, since n8n stores a copy.
function isNodeError(error: unknown): error is NodeApiError | NodeOperationError {
	const { name, message } = (error ?? {}) as Partial<Error>;
	return typeof message === 'string' && ['NodeApiError', 'NodeOperationError'].includes(name ?? '');
}

function badLines(rule: string, lines: string[]): Violation[] {
	return lines
		.filter((line) => line.length > MAX_LINE_CHARACTERS || !isSafe(line))
		.map((line) => violation(rule, line));
}

function isSafe(text: string): boolean {
	return !UNSAFE.test(text.replace(LINK, '$1'));
}

function leaks(fuzzCase: FuzzCase, observation: Observation): Violation[] {
	const { errors, log, hints, highlighted, outputs, staticData } = observation;
	const hasOwnBrowser = JSON.stringify(fuzzCase.parameters).includes(TOKENS.cdpUrl);
	const isKnown = hasOwnBrowser && startsOf(observation).length > 0;
	const items = outputs.flat();
	const texts: Record<string, string[]> = {
		error: errors.map(errorText),
		log,
		hint: hints,
		'highlighted data': Object.values(highlighted),
		// The IDs of the user's own list are stored as they are.
		'static data': listsSecrets(fuzzCase) ? [] : [JSON.stringify(staticData)],
		'failed item': items.map(({ json, error }) => (error ? errorText(error) + json.error : '')),
		'output beside the response': isAskedFor(fuzzCase)
			? []
			: items.map(({ json: { response: _whole, ...simple } }) => safeJson(simple)),
	};
	const found = Object.entries(texts).flatMap(([place, all]) =>
		all
			.filter((text) =>
				secretsIn(text, fuzzCase.key).some((token) => isKnown || token !== TOKENS.cdpPart),
			)
			.map((text) => violation(`no secret in ${place}`, text)),
	);
	return [
		...found,
		...leakedKeys(fuzzCase, observation).map((path) =>
			violation('the key goes to the service only', path),
		),
	];
}

/** Requests with the key, although it is not theirs. */
function leakedKeys({ key }: FuzzCase, { requests }: Observation): string[] {
	return requests
		.filter(({ endpoint }) => endpoint === 'file' || endpoint === 'getHealth')
		.filter(({ headers }) => JSON.stringify(headers).includes(key))
		.map(({ path }) => path);
}

function listsSecrets({ faults }: FuzzCase): boolean {
	return holdsSecrets(faults.filter(({ endpoint }) => endpoint === 'file'));
}

// Secrets that the service itself put into other fields, or an address that the user asked for.
function isAskedFor({ parameters, jobs, faults }: FuzzCase): boolean {
	const { returnCdpUrl } = (parameters.options ?? {}) as { returnCdpUrl?: boolean };
	return returnCdpUrl === true || holdsSecrets([jobs, faults]);
}

/** Whether there are secrets elsewhere than in a `cdp_url`. */
function holdsSecrets(data: unknown): boolean {
	const elsewhere = JSON.stringify(data, (name, value: unknown) =>
		name === 'cdp_url' && typeof value === 'string' ? undefined : value,
	);
	const { key, percentKey, cdpUrl, cdpPart } = TOKENS;
	return [key, percentKey, cdpUrl, cdpPart].some((token) => elsewhere.includes(token));
}

function startsOf({ requests }: Observation): LoggedRequest[] {
	return requests.filter(({ endpoint }) => endpoint === 'startAgent' || endpoint === 'runWorkflow');
}

/** Requests that the document lacks. An ID that is no segment of a path would lead to one. */
function badRequests({ requests }: Observation): Violation[] {
	return requests
		.filter(({ endpoint, path }) => endpoint === 'unknown' && path.startsWith('/v1'))
		.map(({ method, path }) => violation("requests are the document's", `${method} ${path}`));
}

function badStarts({ parameters }: FuzzCase, observation: Observation): Violation[] {
	const paid = startsOf(observation).filter((start) => outcomeOf(start) !== 'nothing');
	if (paid.length <= INPUT.length * maxAttempts(parameters)) return [];
	const evidence = `${paid.length} starts for ${INPUT.length} items`;
	return [violation('one job for each item and attempt', evidence, { mayBeLoad: true })];
}

function maxAttempts({ options, waitUntilFinished }: INodeParameters): number {
	const { maxAttempts: max = 1 } = (options ?? {}) as { maxAttempts?: number };
	return waitUntilFinished === false ? 1 : max;
}

function lostJobs(observation: Observation): Violation[] {
	const { errors, log, highlighted, outputs } = observation;
	const places = { log, highlighted, output: { errors, items: outputs.flat() } };
	return startsOf(observation).flatMap((start) => {
		const jobId = jobIdIn(start);
		if (jobId === undefined) return [];
		return placesWithout(jobId, places).map((place) =>
			violation('every job is named', `${jobId} is not in ${place}`, { mayBeLoad: true }),
		);
	});
}

/** The ID that the response to a start has. */
function jobIdIn(start: LoggedRequest): string | undefined {
	if (outcomeOf(start) !== 'done') return undefined;
	const { jobId, fault } = start;
	if (fault?.kind !== 'fields') return jobId;
	const { job_id = jobId } = fault.body as { job_id?: unknown };
	return toId(job_id);
}

function badItem(node: FuzzCase['node'], item: INodeExecutionData): Violation[] {
	const found: Violation[] = [];
	try {
		structuredClone(item.json);
		JSON.stringify(item.json);
	} catch (error) {
		found.push(violation('output is JSON', describe(error)));
	}
	const pair = pairOf(item);
	if (node === 'agent' && !(Number.isInteger(pair) && pair >= 0 && pair < INPUT.length)) {
		found.push(violation('items are paired', JSON.stringify(item.pairedItem) ?? 'unpaired'));
	}
	if (Boolean(item.json.error) && !isFailedItem(item)) {
		found.push(violation('only failed items have an error', safeJson(item.json)));
	}
	return found;
}

// A failed item has these fields only: n8n tells it from others by them.
function isFailedItem({ json }: INodeExecutionData): boolean {
	return Object.keys(json).every((name) => name === 'error' || name === 'details');
}

function pairOf({ pairedItem }: INodeExecutionData): number {
	const { item } = (pairedItem ?? {}) as { item?: number };
	return item ?? NaN;
}

/** Everything that an error carries except for the node, which holds what the user has entered. */
function errorText(error: unknown): string {
	const { message, description, context, messages, stack } = error as NodeApiError;
	return safeJson({ message, description, context, messages, stack });
}

function safeJson(value: unknown): string {
	try {
		return JSON.stringify(value) ?? '';
	} catch (error) {
		return describe(error);
	}
}

function describe(error: unknown): string {
	const { name, message, stack } = (error ?? {}) as Partial<Error>;
	return `${name}: ${message} ${stack}`;
}

function violation(rule: string, evidence: string, more: Partial<Violation> = {}): Violation {
	return { rule, evidence: evidence.slice(0, MAX_EVIDENCE_CHARACTERS), ...more };
}
