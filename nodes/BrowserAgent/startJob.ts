import type { CallOptions, StartedJob } from '../service/types';
import { describeServiceError } from '../errors/describeServiceError';
import { UserError, stopped } from '../errors/UserError';
import { asThrown, ServiceError } from '../errors/ServiceError';
import { toWords } from '../errors/toNodeError';
import type { ItemRun } from './operations/operation';
import { pauseAbandonedJob } from './pauseAbandonedJob';
import type { RememberedJob } from './startedJobs';
import { withinStopGrace } from './stopGrace';

// A Stop may not reach a worker in queue mode, so even standing in line has an end.
const LONGEST_QUEUE_MS = 60 * 60_000;

/** What to start, and what to do with it. */
export interface JobStart {
	send: (options: CallOptions) => Promise<StartedJob>;
	/** For the words, e.g. "workflow wf_1"; unset for an agent. */
	subject?: string;
	pauseWhenAbandoned: boolean;
	/** For how long a start that is refused for the rate limit is sent again; unset: for an hour. */
	maxWaitMs?: number;
}

/**
 * Starts the item's job, or returns the one that an earlier try of this node run has started.
 * The request is sent again only after a 429, which proves that nothing was started.
 * Throws a `UserError` when there is no job, and, with other words, when that is unclear; after an
 * unclear start it throws in every further try, too, without sending anything.
 */
export async function startJob(run: ItemRun, start: JobStart): Promise<RememberedJob> {
	const { memory, logger, signal } = run;
	const earlier = memory.job;
	if (earlier !== undefined) {
		logger.info(`Browser Agent picks up job ${earlier.job_id}, started by an earlier try`);
		return earlier;
	}
	if (memory.isUnclear) throw notStartedAgain();
	if (signal.aborted) throw stopped('no job was started');

	const starting = sendUntilLetIn(run, start);
	const answered = await withinStopGrace(starting, run);
	if (answered !== undefined) return answered.value;

	void followUpAfterStop(run, start, starting);
	throw stopped('a job was just being started', {
		description:
			"The service had not answered yet, so the job may be running. Look it up in the service's web platform; its ID will be in n8n's log.",
	});
}

async function sendUntilLetIn(run: ItemRun, start: JobStart): Promise<RememberedJob> {
	const { memory, clock, signal, logger, progress } = run;
	const began = clock.now();
	let deadline = began + LONGEST_QUEUE_MS;
	let refusal: ServiceError | undefined;
	let sentAt = began;
	const onSent = () => {
		sentAt = clock.now();
	};

	for (;;) {
		memory.markUnclear();
		try {
			const started = await start.send({ signal, deadline, onSent });
			const job = { ...started, startedAt: clock.now() };
			memory.remember(job);
			progress.noteStart(sentAt - began);
			logger.info(`Browser Agent started job ${job.job_id}`);
			return job;
		} catch (error) {
			if (!isWithoutJob(error)) throw unclearStart(error, start.subject);
			memory.forget();
			if (error.kind === 'stopped') throw stopped('no job was started');
			if (error.kind !== 'rateLimited' || clock.now() >= deadline) {
				const reason = error.kind === 'queueTimeout' ? (refusal ?? error) : error;
				throw asThrown(describeServiceError(reason, { subject: start.subject }));
			}
			// The rate budget has taken note of the 429 and waits as long as the service asks for. Only
			// that is limited: in a batch, standing in line for one's turn takes the time it takes.
			if (refusal === undefined && start.maxWaitMs !== undefined) {
				deadline = Math.min(deadline, clock.now() + start.maxWaitMs);
			}
			refusal = error;
			logger.debug('Browser Agent waits to start a job: the service has had too many starts');
		}
	}
}

// `stopped` ends only the standing in line: a start that was sent is never given up.
function isWithoutJob(error: unknown): error is ServiceError {
	return error instanceof ServiceError && (error.isDefinitelyNotProcessed || error.kind === 'stopped');
}

function unclearStart(error: unknown, subject: string | undefined): UserError {
	const reason =
		error instanceof ServiceError
			? describeServiceError(error, { subject })
			: new UserError(error instanceof Error ? error.message : String(error));
	return new UserError(
		`It is unclear whether a job was started; a job may be running. ${reason.message}`,
		{
			description:
				"A job may be running and using credits. Look for it in the service's web platform before you run this again. It is not started a second time in this execution.",
			statusCode: reason.details.statusCode,
		},
	);
}

function notStartedAgain(): UserError {
	return new UserError('Not started again: an earlier try may have started a job already', {
		description:
			"The service's answer to the first try got lost, so a job may be running and using credits. Look for it in the service's web platform, then run the workflow again.",
	});
}

async function followUpAfterStop(
	run: ItemRun,
	{ pauseWhenAbandoned }: JobStart,
	starting: Promise<RememberedJob>,
): Promise<void> {
	try {
		const { job_id: jobId } = await starting;
		run.logger.warn(`Browser Agent job ${jobId} was started while its execution was being stopped`);
		if (pauseWhenAbandoned) await pauseAbandonedJob(run, jobId);
	} catch (error) {
		run.logger.warn(`Browser Agent: a start whose execution was stopped: ${toWords(error)}`);
	}
}
