import { randomUUID } from 'node:crypto';

import { document } from '../openApiDocument';
import type { CheckName } from './checks';
import { toJobPath } from './OwnJobs';
import type { Answer } from './ServiceClient';
import type { Visit } from './Visit';

const { startsPerMinute, statusPerMinute, balancePerMinute } = document['x-rate-limits'];
const AGENT = '/v1/run_browser_agent';
const WORKFLOWS = '/workflows/run-with-payload/';
/** Calls beyond the limit that is looked for. */
const EXTRA_CALLS = 5;
/** A limit counts the calls of a minute, so a slower burst shows nothing. */
const BURST_LIMIT_MS = 50_000;

/**
 * Makes more calls than the limits allow, none of which starts or changes a job. For a minute, the
 * service may refuse other calls with this key.
 */
export async function checkLimits(visit: Visit): Promise<void> {
	const { client, findings, jobs } = visit;
	const balance = async () => await client.call('GET', '/v1/get_credit_balance');
	await noteLimit(visit, 'balanceLimit', '/v1/get_credit_balance', balancePerMinute, balance);

	const ended = jobs.all.find(({ isOpen }) => !isOpen);
	if (ended) {
		const poll = async () => await client.call('GET', toJobPath('get_job_status', ended));
		await noteLimit(visit, 'pollLimit', '/v1/get_job_status/', statusPerMinute, poll);
		for (const [method, operation] of [
			['GET', 'get_job_files'],
			['POST', 'pause_job'],
			['POST', 'resume_job'],
		] as const) {
			const { limitedAt, sent } = await burst(
				visit,
				statusPerMinute + EXTRA_CALLS,
				async () => await client.call(method, toJobPath(operation, ended)),
			);
			const isFree = limitedAt === undefined;
			const seen = isFree ? `${sent} calls each` : `429 at call ${limitedAt} of ${operation}`;
			findings.note('unlimited', isFree, seen);
		}
	} else {
		for (const name of ['pollLimit', 'unlimited'] as const) {
			findings.noteUnseen(name, 'no own job has ended');
		}
	}
	await checkStartLimit(visit);
}

async function checkStartLimit(visit: Visit): Promise<void> {
	const { client, findings, jobs } = visit;
	const isRefused = (name: CheckName) =>
		findings.rows.some(
			(row) => row.name === name && row.verdict !== 'other' && row.verdict !== 'not seen',
		);
	if (!isRefused('invalid') || !isRefused('unknownWorkflow') || jobs.closedBecause !== undefined) {
		for (const name of ['startLimit', 'sharedLimit'] as const) {
			findings.noteUnseen(name, 'needs starts that are certainly refused');
		}
		return;
	}
	const start = async () =>
		(await jobs.start('by a start without a directive', AGENT, {}, { isKnownRefused: true }))
			.answer;
	const { limitedAt, inMinute, sent } = await burst(
		visit,
		startsPerMinute + EXTRA_CALLS,
		start,
		AGENT,
	);
	if (limitedAt === undefined) {
		// Starts that start nothing may not count.
		for (const name of ['startLimit', 'sharedLimit'] as const) {
			findings.noteUnseen(name, `${sent} refused starts were not limited`);
		}
		return;
	}
	// The limit may be one for both.
	const withWorkflows = inMinute + client.countInLastMinute(WORKFLOWS);
	const calls = isLimit(inMinute, startsPerMinute) ? inMinute : withWorkflows;
	findings.note('startLimit', isLimit(calls, startsPerMinute), `429 at call ${calls} of a minute`);
	const path = `${WORKFLOWS}unknown-${randomUUID()}`;
	const { answer } = await jobs.start('by an unknown workflow', path, {}, { isKnownRefused: true });
	if (answer) findings.note('sharedLimit', answer.status === 429, client.describe(answer));
}

async function noteLimit(
	visit: Visit,
	name: CheckName,
	path: string,
	perMinute: number,
	call: () => Promise<Answer>,
): Promise<void> {
	const calls = perMinute + EXTRA_CALLS;
	const { limitedAt, inMinute, sent } = await burst(visit, calls, call, path);
	const { findings } = visit;
	if (limitedAt !== undefined) {
		findings.note(name, isLimit(inMinute, perMinute), `429 at call ${inMinute} of a minute`);
	} else if (sent === calls) findings.note(name, false, `${sent} calls were answered`);
	else findings.noteUnseen(name, `only ${sent} calls took ${BURST_LIMIT_MS / 1000} s`);
}

// Another client of the account, or a minute that is counted otherwise, changes little.
function isLimit(calls: number, perMinute: number): boolean {
	return calls > perMinute * 0.9 && calls <= perMinute + EXTRA_CALLS;
}

interface Burst {
	sent: number;
	/** The number of the call that got a 429. */
	limitedAt?: number;
	/** Calls to the path in the minute before the last answer. */
	inMinute: number;
}

/** Makes calls, one after the other, until one is answered with a 429. */
async function burst(
	{ client, clock, signal }: Visit,
	calls: number,
	call: () => Promise<Answer | undefined>,
	path = '',
): Promise<Burst> {
	const until = clock.now() + BURST_LIMIT_MS;
	let sent = 0;
	while (sent < calls && clock.now() < until && !signal.aborted) {
		const answer = await call();
		if (!answer || answer.status === 0) break;
		sent++;
		if (answer.status === 429) {
			return { sent, limitedAt: sent, inMinute: client.countInLastMinute(path) };
		}
	}
	return { sent, inMinute: client.countInLastMinute(path) };
}
