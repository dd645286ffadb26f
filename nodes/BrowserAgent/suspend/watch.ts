import type { IRunExecutionData } from 'n8n-workflow';

import { createSafeLogger, type LogOrigin } from '../../errors/safeLogger';
import { messageOf } from '../../errors/ServiceError';
import { pauseJobs, shouldPause } from '../../jobs/pause';
import { idsIn, TrackedJob } from '../../jobs/TrackedJob';
import type { Access, Runtime } from '../../runtime';
import type { Account } from '../../service/Account';
import type { ServiceClient } from '../../service/ServiceClient';
import { worksIn, type Run } from '../Run';
import { suspendedItems } from './state';
import { CHECK } from './subWorkflow';

// An inner execution without a round in this process for this long is read, so that a Stop is
// noticed within two minutes.
const UNSEEN_MS = 100_000;

// Errors of our nodes. An execution with one of them was not stopped: it failed.
const NODE_ERRORS = ['NodeApiError', 'NodeOperationError'];

/** What it takes to check an inner execution. Small, unlike an `Access`. */
interface Watched {
	executionId: string;
	account: Account;
	/** The IDs of the jobs to pause when it is stopped. */
	jobIds: string[];
	/** How many rounds it has had. */
	rounds: number;
	/** Names the suspended execution in the log. */
	origin: LogOrigin;
	/** Aborted when the watch ends. */
	signal: AbortSignal;
}

/**
 * Watches an inner execution until its next round, because n8n doesn't tell a node when such an
 * execution is stopped, crashes or is deleted. If it is gone, its jobs are paused as after a Stop.
 * The watch ends when the execution has ended by itself, or had a round in another process.
 * `rounds`: how many it has had so far.
 */
export function watchInnerExecution(run: Run, executionId: string, rounds: number): void {
	const { runtime, origin } = run;
	const works = worksIn(run);
	const [{ client } = {}] = works;
	if (client === undefined) return;

	const { account } = client;
	const toPause = works.filter((work) => shouldPause(work, 'stopped'));
	const jobIds = idsIn(toPause.map(({ job }) => job));
	const end = new AbortController();
	stopWatching(runtime, executionId);
	// There is only one for each account because it keeps the data of a whole execution in memory.
	runtime.accessOf.set(account, toAccess(run, client));
	runtime.suspended.set(executionId, {
		account,
		jobCount: suspendedItems(run).length,
		stopWatching: () => end.abort(),
	});
	const { signal } = end;
	void watch(runtime, {
		executionId,
		account,
		jobIds: [...new Set(jobIds)],
		rounds,
		origin,
		signal,
	});
}

/** Stops watching an inner execution. Does nothing if this process doesn't watch it. */
export function stopWatching({ suspended, accessOf }: Runtime, executionId: string): void {
	const watched = suspended.get(executionId);
	if (watched === undefined) return;
	watched.stopWatching();
	suspended.delete(executionId);
	const others = [...suspended.values()];
	if (others.every(({ account }) => account !== watched.account)) accessOf.delete(watched.account);
}

function toAccess({ context, redact }: Run, client: ServiceClient): Access {
	return {
		client,
		loggerFor: (origin) => createSafeLogger(context.logger, redact, origin),
		readExecution: async (id) => await context.getExecutionDataById(id),
	};
}

async function watch(runtime: Runtime, watched: Watched): Promise<void> {
	const { executionId, account, rounds, origin, signal } = watched;
	for (;;) {
		await runtime.clock.sleep(UNSEEN_MS, signal);
		const access = runtime.accessOf.get(account);
		if (signal.aborted || access === undefined) return;
		try {
			const data = await access.readExecution(executionId);
			if (signal.aborted) return;
			const isStillMine = data?.waitTill !== undefined && roundsIn(data) <= rounds;
			if (isStillMine && !isStopped(data)) continue;
			stopWatching(runtime, executionId);
			if (isStopped(data)) await pauseAll(runtime, watched, access);
			return;
		} catch (error) {
			const logger = access.loggerFor(origin);
			logger.debug(`Browser Agent could not check execution ${executionId}: ${messageOf(error)}`);
		}
	}
}

// An execution that is stopped during a round pauses its jobs itself. n8n stores no error of it, so
// it doesn't count as stopped here.
function isStopped(data: IRunExecutionData | undefined): boolean {
	if (data === undefined) return true;
	const { error } = data.resultData;
	return error !== undefined && !NODE_ERRORS.includes(error.name);
}

function roundsIn({ resultData }: IRunExecutionData): number {
	return resultData.runData[CHECK]?.length ?? 0;
}

async function pauseAll(
	{ clock }: Runtime,
	{ executionId, jobIds, origin }: Watched,
	{ client, loggerFor }: Access,
): Promise<void> {
	const run = { clock, executionId, logger: loggerFor(origin) };
	const works = jobIds.map((jobId) => {
		run.logger.warn(
			`Browser Agent is pausing job ${jobId}, because execution ${executionId} was stopped while it waited for the job`,
			{ jobId },
		);
		return { run, client, job: new TrackedJob(clock, { state: 'started', job_id: jobId }) };
	});
	await pauseJobs(works);
}
