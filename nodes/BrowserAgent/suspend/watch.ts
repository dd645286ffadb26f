import type { IRunExecutionData, Logger } from 'n8n-workflow';

import { createSafeLogger, type LogOrigin } from '../../errors/safeLogger';
import { messageOf } from '../../errors/ServiceError';
import { pauseJobs, shouldPause } from '../../jobs/pause';
import { idsIn, TrackedJob } from '../../jobs/TrackedJob';
import type { Runtime } from '../../runtime';
import type { Account } from '../../service/Account';
import type { ServiceClient } from '../../service/ServiceClient';
import { worksIn, type Run } from '../Run';
import { suspendedItems } from './state';
import { CHECK } from './subWorkflow';

// How often an inner execution is read while it has no round in this process. So its Stop is
// noticed within two minutes.
const READ_INTERVAL_MS = 100_000;

// Errors of a round, which has then paused its jobs itself, as their policies say.
const NODE_ERRORS = ['NodeApiError', 'NodeOperationError'];

/** What a process knows of the runs whose last round, or suspension, was in it. */
class SuspendedRuns {
	/** By the IDs of their inner executions. */
	readonly runs = new Map<string, SuspendedRun>();

	/** The latest access to each account: it serves all runs of the account. */
	readonly accessOf = new Map<Account, Access>();
}

interface SuspendedRun {
	account: Account;
	/** How many jobs it waits for. */
	jobCount: number;
	/** Ends the watch of its inner execution. */
	stopWatching(): void;
}

/** Access to n8n's executions, and to the jobs of one account, even after a run has ended. */
interface Access {
	client: ServiceClient;
	/** Returns a logger whose lines name this origin. */
	loggerFor(origin: LogOrigin): Logger;
	/**
	 * Returns all that n8n stored about an execution, because n8n offers nothing smaller. Undefined
	 * if the execution was deleted.
	 */
	readExecution(executionId: string): Promise<IRunExecutionData | undefined>;
}

function suspendedRunsOf(runtime: Runtime): SuspendedRuns {
	runtime.suspendedRuns ??= new SuspendedRuns();
	return runtime.suspendedRuns as SuspendedRuns;
}

/**
 * Returns how many suspended waits of an account this process knows of, without those of this
 * inner execution.
 */
export function jobsOfOthers(
	runtime: Runtime,
	account: Account | undefined,
	executionId: string,
): number {
	const others = [...suspendedRunsOf(runtime).runs].filter(
		([otherId, other]) => otherId !== executionId && other.account === account,
	);
	return others.reduce((sum, [, { jobCount }]) => sum + jobCount, 0);
}

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
 * execution is stopped, crashes or is deleted. In each case, its jobs are paused as after a Stop.
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
	const { runs, accessOf } = suspendedRunsOf(runtime);
	const end = new AbortController();
	stopWatching(runtime, executionId);
	// There is only one for each account because it keeps the data of a whole execution in memory.
	accessOf.set(account, toAccess(run, client));
	runs.set(executionId, {
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
export function stopWatching(runtime: Runtime, executionId: string): void {
	const { runs, accessOf } = suspendedRunsOf(runtime);
	const watched = runs.get(executionId);
	if (watched === undefined) return;
	watched.stopWatching();
	runs.delete(executionId);
	const others = [...runs.values()];
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
		await runtime.clock.sleep(READ_INTERVAL_MS, signal);
		const access = suspendedRunsOf(runtime).accessOf.get(account);
		if (signal.aborted || access === undefined) return;
		try {
			const data = await access.readExecution(executionId);
			if (signal.aborted) return;
			const isUnchanged = data?.waitTill !== undefined && roundsIn(data) <= rounds;
			if (isUnchanged && !isStopped(data)) continue;
			stopWatching(runtime, executionId);
			if (isStopped(data)) await pauseAll(runtime, watched, access);
			return;
		} catch (error) {
			const logger = access.loggerFor(origin);
			logger.debug(`Browser Agent could not check execution ${executionId}: ${messageOf(error)}`);
		}
	}
}

// An execution that is stopped during a round pauses its jobs itself. n8n may store no error of it;
// then it doesn't count as stopped here.
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
			`Browser Agent is pausing job ${jobId}, because execution ${executionId} was stopped or deleted, or has crashed, while it waited for the job`,
			{ jobId },
		);
		return { run, client, job: new TrackedJob(clock, { state: 'started', job_id: jobId }) };
	});
	await pauseJobs(works);
}
