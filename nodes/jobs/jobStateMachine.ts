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
	/** The node's pause is on its way. */
	| 'pausing'
	/** The node paused the job. */
	| 'paused'
	/** The node's pause or resume had no clear outcome: the job may be paused or running. */
	| 'pauseUnclear'
	/** The job was seen paused, but not by the node. */
	| 'userPaused'
	/** A user was seen to have taken over the job's browser, and may hand it back. */
	| 'takenOver'
	/** The node's resume is on its way. */
	| 'resuming'
	/** The job's end was seen, or a takeover after which the node returns the job. */
	| 'finished';

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
	/** A pause was refused, or had no usable response. */
	| 'pauseFailed'
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
	| 'seenFinished';

const OVER = { seenFinished: 'finished' } as const;

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
	pausing: {
		...OVER,
		seenPaused: 'paused',
		seenTakenOver: 'takenOver',
		pauseDone: 'paused',
		pauseFailed: 'pauseUnclear',
	},
	paused: {
		...OVER,
		seenRunning: 'running',
		seenTakenOver: 'takenOver',
		resumeSent: 'resuming',
	},
	pauseUnclear: {
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
		resumeLost: 'pauseUnclear',
	},
	finished: {},
};
