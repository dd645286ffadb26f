/**
 * What is known of an item's job:
 * `none`: nothing was sent, or the service certainly did nothing; `sending`: a start is on its way;
 * `startUnclear`: a start was sent, and it is unknown whether it started a job; `running`: the job was
 * started, or given by the user; `pausing`: a pause is on its way; `paused`: the node has paused the job;
 * `pauseFailed`: a pause was sent, and the job may still run; `userPaused`: it was paused, and not by the
 * node; `resuming`: a resume is on its way; `resumeUnclear`: it may be paused or run; `finished`: its end
 * was seen; `failed`: its item has failed, and no retry can change that.
 */
export type JobState =
	| 'none'
	| 'sending'
	| 'startUnclear'
	| 'running'
	| 'pausing'
	| 'paused'
	| 'pauseFailed'
	| 'userPaused'
	| 'resuming'
	| 'resumeUnclear'
	| 'finished'
	| 'failed';

/** What can happen to an item's job. A rejected request was not processed, of a lost one that is unknown. */
export type JobEvent =
	| 'startSent'
	| 'startRejected'
	| 'pauseSent'
	| 'pauseDone'
	| 'pauseFailed'
	| 'resumeSent'
	| 'resumeDone'
	| 'resumeRejected'
	| 'resumeLost'
	| 'startLost'
	| 'started'
	| 'watched'
	| 'seenRunning'
	| 'seenPaused'
	| 'ended'
	| 'failed';

const OVER = { ended: 'finished', failed: 'failed' } as const;

/** Events that a state does not list change nothing. docs/what-happens-to-a-running-job.md has the table. */
export const TRANSITIONS: Record<JobState, Partial<Record<JobEvent, JobState>>> = {
	none: { startSent: 'sending', watched: 'running' },
	sending: { started: 'running', startRejected: 'none', startLost: 'startUnclear' },
	startUnclear: {},
	running: { ...OVER, seenPaused: 'userPaused', pauseSent: 'pausing' },
	pausing: { ...OVER, seenPaused: 'paused', pauseDone: 'paused', pauseFailed: 'pauseFailed' },
	paused: { ...OVER, seenRunning: 'running', resumeSent: 'resuming' },
	pauseFailed: { ...OVER, seenRunning: 'running', seenPaused: 'paused', pauseSent: 'pausing' },
	userPaused: { ...OVER, seenRunning: 'running', pauseSent: 'pausing' },
	resuming: {
		...OVER,
		resumeDone: 'running',
		resumeRejected: 'paused',
		resumeLost: 'resumeUnclear',
	},
	resumeUnclear: { ...OVER, seenRunning: 'running', seenPaused: 'paused', pauseSent: 'pausing' },
	finished: { failed: 'failed' },
	failed: {},
};
