import type { Clock } from '../../async/clock';
import { toPlainText } from '../../errors/plainText';
import { UserError } from '../../errors/UserError';
import { isObject } from '../../isObject';
import type { StoredEntry, SuspendedWait } from '../types';
import { STATE_VERSION, type SuspendedJson, type SuspendedState } from './state';

/** Returns the state to store, with wall-clock times. */
export function toStoredState(state: SuspendedState, clock: Clock): SuspendedState {
	return shiftTimes(state, clock.wallTime() - clock.now());
}

/**
 * Returns a stored state with times of this process's clock. Throws a `UserError` that names the
 * jobs if the state has another form, e.g. because another version of the package has stored it.
 */
export function readStoredState(
	{ state, jobs }: Partial<SuspendedJson>,
	clock: Clock,
): SuspendedState {
	try {
		if (state?.version !== STATE_VERSION) throw new Error('it has another version');
		return shiftTimes(state, clock.now() - clock.wallTime());
	} catch (error) {
		throw unreadableStateError(jobs, error);
	}
}

function unreadableStateError(jobs: unknown, cause: unknown): UserError {
	const entries: unknown[] = Array.isArray(jobs) ? jobs : [];
	const jobIds = entries
		.map((job) => (isObject(job) ? job.job_id : undefined))
		.filter((jobId) => typeof jobId === 'string');
	const named = jobIds.length === 0 ? 'its jobs' : toPlainText(`job ${jobIds.join(', ')}`);
	return new UserError(
		`The suspended wait for ${named} could not be continued, because its stored state can't be read`,
		{
			description:
				"Another version of the package has probably stored it. The jobs may be running: get their results with Job: Wait, or look for them in the service's web platform.",
			jobIds,
		},
		cause,
	);
}

/** Returns a copy of the state whose times are all later by `ms`. */
function shiftTimes(state: SuspendedState, ms: number): SuspendedState {
	return {
		...state,
		suspendedAt: state.suspendedAt + ms,
		items: state.items.map((item) => ({
			...item,
			outcome: item.outcome.kind === 'suspended' ? shiftWait(item.outcome, ms) : item.outcome,
			entry: item.entry && shiftEntry(item.entry, ms),
		})),
	};
}

function shiftWait(suspended: SuspendedWait, ms: number): SuspendedWait {
	const { wait } = suspended;
	const { startedAt, waitStartedAt, deadline, refusals } = wait;
	return {
		...suspended,
		wait: {
			...wait,
			startedAt: startedAt === undefined ? undefined : startedAt + ms,
			waitStartedAt: waitStartedAt + ms,
			deadline: deadline + ms,
			refusals: refusals && { ...refusals, firstAt: refusals.firstAt + ms },
		},
	};
}

function shiftEntry(entry: StoredEntry, ms: number): StoredEntry {
	const { known } = entry;
	const { started, seenAt } = known;
	return {
		...entry,
		known: {
			...known,
			started: started && { ...started, startedAt: started.startedAt + ms },
			seenAt: seenAt === undefined ? undefined : seenAt + ms,
		},
	};
}
