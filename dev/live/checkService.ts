import { setTimeout as pause } from 'node:timers/promises';

import type { RealClock } from '../sandbox/types';
import { checkJobs, MAX_DURATION_MINUTES } from './checkJobs';
import { checkLimits } from './checkLimits';
import { checkRequests } from './checkRequests';
import { Findings } from './Findings';
import { MAX_JOBS, OwnJobs } from './OwnJobs';
import { type Answer, ServiceClient } from './ServiceClient';
import type { LiveSettings } from './settings';

/** What was seen of a service. */
export interface Report {
	findings: Findings;
	/** Why not everything was checked. */
	stoppedBecause?: string;
	/** IDs of own jobs that could not be paused. */
	stillRunning: string[];
}

export interface CheckOptions {
	say(line: string): void;
	signal?: AbortSignal;
	clock?: RealClock;
	/** Of a request, in real time. Default 30 s. */
	requestLimitMs?: number;
}

const MACHINE_CLOCK: RealClock = {
	now: () => Date.now(),
	sleep: async (ms, signal) => await pause(ms, undefined, { signal }).catch(() => {}),
};

/** What a check costs, for the user, before it begins. */
export function describeCost({ workflowId }: LiveSettings): string {
	const jobs = workflowId === undefined ? MAX_JOBS - 1 : MAX_JOBS;
	return [
		`This starts at most ${MAX_JOBS} jobs, normally ${jobs}, which cost what their steps cost.`,
		`Each takes at most ${MAX_DURATION_MINUTES} minutes; the whole takes about 5.`,
		'It deletes nothing, and pauses and resumes only the jobs that it has started.',
		'At the end it makes some 350 calls, so that other calls with this key may be refused for a',
		'minute.',
	].join('\n');
}

/**
 * Checks a service against its documentation and against what this package assumes. Never rejects
 * for what the service does. Jobs that have not ended at the end, or on the signal, are paused.
 */
export async function checkService(
	settings: LiveSettings,
	{
		say,
		signal = new AbortController().signal,
		clock = MACHINE_CLOCK,
		requestLimitMs = 30_000,
	}: CheckOptions,
): Promise<Report> {
	const findings = new Findings();
	const client = new ServiceClient(settings, clock, requestLimitMs, (answer) =>
		noteEach(findings, client, answer),
	);
	const jobs = new OwnJobs({ client, findings, clock, signal, say });
	const visit = { settings, client, findings, jobs, clock, signal, say };

	const account = await checkRequests(visit);
	if (account.refusal !== undefined) {
		return { findings, stoppedBecause: account.refusal, stillRunning: await jobs.leave() };
	}
	let stillRunning: string[] = [];
	try {
		await checkJobs(visit, account);
	} finally {
		stillRunning = await jobs.leave();
	}
	await checkLimits(visit);
	const stoppedBecause = signal.aborted ? 'it was stopped' : jobs.closedBecause;
	return { findings, stoppedBecause, stillRunning };
}

/** Enters what every answer shows. */
function noteEach(findings: Findings, client: ServiceClient, answer: Answer): void {
	const { status, headers, text } = answer;
	if (status >= 200 && status < 300) findings.note('successes', status === 200, String(status));
	if (status === 429) {
		const seconds = headers.get('retry-after');
		const isSeconds = seconds !== null && /^\d+$/.test(seconds) && seconds !== '0';
		const seen = seconds === null ? 'no `Retry-After`' : `Retry-After: ${client.show(seconds, 20)}`;
		const body = text === '' ? 'no body' : `a body of ${text.length} characters`;
		findings.note('tooMany', isSeconds && text === '', `${seen}, ${body}`);
	}
}
