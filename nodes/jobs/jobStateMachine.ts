/** What is known of an item's job. */
export type JobState =
	/** Nothing was sent, or the service certainly did nothing. */
	| 'none'
	/** A start is on its way. */
	| 'sending'
	/** A start was sent, and it is unknown whether it started a job. */
	| 'startUnclear'
	/** The job was started, or specified by the user, and is running as far as we know. */
	| 'running'
	/** The node's pause is on its way, or will be sent again. */
	| 'pausing'
	/** The node paused the job. */
	| 'paused'
	/** The node's pause was given up, and the job may still run. */
	| 'pauseFailed'
	/** The job was seen paused, but not by the node. */
	| 'userPaused'
	/** A user was seen to have taken over the job's browser, and may hand it back. */
	| 'takenOver'
	/** The node's resume is on its way. */
	| 'resuming'
	/** A resume was sent, and it is unknown whether the job runs or is still paused. */
	| 'resumeUnclear'
	/** The job's end was seen, or a takeover after which the node returns the job. */
	| 'finished'
	/** The item failed because of how its job ended; a retry can't change that. */
	| 'itemFailed';

/** What can happen to an item's job. */
export type JobEvent =
	/** A start is about to be sent. */
	| 'startSent'
	/** The response to a start had the job's ID. */
	| 'started'
	/** It is certain that a start started nothing. */
	| 'startRejected'
	/** A start had no usable response. */
	| 'startLost'
	/** The user specified the job to wait for. */
	| 'jobSpecified'
	/** A pause is about to be sent. */
	| 'pauseSent'
	/** The service confirmed a pause. */
	| 'pauseDone'
	/** A pause was given up: it was refused, or not confirmed in time. */
	| 'pauseGivenUp'
	/** A resume is about to be sent. */
	| 'resumeSent'
	/** The service confirmed a resume. */
	| 'resumeDone'
	/** It is certain that a resume did nothing. */
	| 'resumeRejected'
	/** A resume had no usable response. */
	| 'resumeLost'
	/** A status check showed the job neither paused, nor taken over, nor at its end. */
	| 'seenRunning'
	/** A status check showed the job paused. */
	| 'seenPaused'
	/** A status check showed that a user has taken over the job's browser. */
	| 'seenTakenOver'
	/** A status check showed the job's end, or a takeover after which the node returns the job. */
	| 'seenFinished'
	/** The item's failure was recorded: the job's final status, or its output, is the reason. */
	| 'failureRecorded';

const OVER = { seenFinished: 'finished', failureRecorded: 'itemFailed' } as const;

/**
 * The state that follows each event. An event that a state does not list leaves it as it is.
 * docs/design.md has the same table.
 */
export const TRANSITIONS: Record<JobState, Partial<Record<JobEvent, JobState>>> = {
	none: { startSent: 'sending', jobSpecified: 'running' },
	sending: { started: 'running', startRejected: 'none', startLost: 'startUnclear' },
	startUnclear: {},
	running: {
		...OVER,
		seenPaused: 'userPaused',
		seenTakenOver: 'takenOver',
		pauseSent: 'pausing',
	},
	pausing: { ...OVER, seenPaused: 'paused', pauseDone: 'paused', pauseGivenUp: 'pauseFailed' },
	paused: {
		...OVER,
		seenRunning: 'running',
		seenTakenOver: 'takenOver',
		resumeSent: 'resuming',
	},
	pauseFailed: {
		...OVER,
		seenRunning: 'running',
		seenPaused: 'paused',
		seenTakenOver: 'takenOver',
		pauseSent: 'pausing',
	},
	userPaused: {
		...OVER,
		seenRunning: 'running',
		seenTakenOver: 'takenOver',
		pauseSent: 'pausing',
	},
	takenOver: {
		...OVER,
		seenRunning: 'running',
		seenPaused: 'userPaused',
		pauseSent: 'pausing',
	},
	resuming: {
		...OVER,
		resumeDone: 'running',
		resumeRejected: 'paused',
		resumeLost: 'resumeUnclear',
	},
	resumeUnclear: {
		...OVER,
		seenRunning: 'running',
		seenPaused: 'paused',
		seenTakenOver: 'takenOver',
		pauseSent: 'pausing',
	},
	finished: { failureRecorded: 'itemFailed' },
	itemFailed: {},
};
