/** What the node knows of a job. */
export type JobState =
	/** Nothing was sent, or the service certainly did nothing. */
	| 'none'
	/** A start is on its way. */
	| 'starting'
	/** A start was sent, and it is unknown whether it started a job. */
	| 'unclear'
	/**
	 * The job was started, or given by the user. Its status says what it was doing when last seen.
	 */
	| 'started'
	/** A pause or a resume of the node is on its way, or its outcome is unknown. */
	| 'unsettled'
	/** The node has paused the job. */
	| 'paused'
	/** The job's end was seen. */
	| 'ended';

/** What can happen to a job. */
export type JobEvent =
	/** A start is about to be sent. */
	| 'startSent'
	/** The response to a start had the job's ID. */
	| 'startDone'
	/** It is certain that a start started nothing. */
	| 'startFailed'
	/** A start had no usable response. */
	| 'startLost'
	/** A pause is about to be sent, at once or after a delay. */
	| 'pauseSent'
	/** The service confirmed a pause. */
	| 'pauseDone'
	/** A resume is about to be sent. */
	| 'resumeSent'
	/** The service confirmed a resume. */
	| 'resumeDone'
	/** It is certain that a resume did nothing. */
	| 'resumeFailed'
	/** A status check showed the job neither paused nor at its end. */
	| 'seenOpen'
	/** A status check showed the job paused. */
	| 'seenPaused'
	/** A status check showed the job's end. */
	| 'seenEnded';

const END = { seenEnded: 'ended' } as const;

/** The state that follows each event. An event that a state does not list leaves it as it is. */
export const TRANSITIONS: Record<JobState, Partial<Record<JobEvent, JobState>>> = {
	none: { startSent: 'starting' },
	starting: { startDone: 'started', startFailed: 'none', startLost: 'unclear' },
	unclear: {},
	started: { ...END, pauseSent: 'unsettled' },
	unsettled: {
		...END,
		pauseDone: 'paused',
		resumeDone: 'started',
		resumeFailed: 'paused',
		seenOpen: 'started',
		seenPaused: 'paused',
	},
	paused: { ...END, resumeSent: 'unsettled', seenOpen: 'started' },
	ended: {},
};
