/** Why a call to the service failed, and what follows from it. */
const KINDS = {
	// The service's own response.
	invalid: { isTransient: false, isNotProcessed: true },
	unauthorized: { isTransient: false, isNotProcessed: true },
	insufficientCredits: { isTransient: false, isNotProcessed: true },
	forbidden: { isTransient: false, isNotProcessed: true },
	notFound: { isTransient: false, isNotProcessed: true },
	rejected: { isTransient: false, isNotProcessed: true },
	redirect: { isTransient: false, isNotProcessed: true },
	// Something else responded: a gateway, or a proxy.
	foreignNotFound: { isTransient: true, isNotProcessed: true },
	proxyUnauthorized: { isTransient: false, isNotProcessed: true },
	rateLimited: { isTransient: true, isNotProcessed: true },
	serverError: { isTransient: true, isNotProcessed: false },
	// The request never arrived.
	unreachable: { isTransient: true, isNotProcessed: true },
	notSent: { isTransient: false, isNotProcessed: true },
	queueTimeout: { isTransient: true, isNotProcessed: true },
	// There was no usable response, and the request may have been processed.
	timeout: { isTransient: true, isNotProcessed: false },
	connectionLost: { isTransient: true, isNotProcessed: false },
	encryptionFailed: { isTransient: true, isNotProcessed: false },
	unreadable: { isTransient: true, isNotProcessed: false },
	tooLarge: { isTransient: false, isNotProcessed: false },
	// Given up, since the execution was stopped.
	aborted: { isTransient: false, isNotProcessed: false },
	// A file is given up: it takes too long, or its link can't be followed.
	tooSlow: { isTransient: false, isNotProcessed: false },
	invalidLink: { isTransient: false, isNotProcessed: false },
};

export type ServiceErrorKind = keyof typeof KINDS;

export interface ServiceErrorFacts {
	kind: ServiceErrorKind;
	statusCode?: number;
	/** What the service or the network said: redacted, at most 500 characters. */
	detail?: string;
	/** How long the service asks to wait before the next request, in ms. */
	retryAfterMs?: number;
}

// These ask for the same request elsewhere; other redirects may follow a request that was
// processed.
const REPEATING_REDIRECTS = [301, 307, 308];

/** A failed call to the service, as facts. `describeServiceError` makes a message of them. */
export class ServiceError extends Error {
	constructor(
		readonly facts: ServiceErrorFacts,
		cause?: unknown,
	) {
		super(facts.detail ?? facts.kind, { cause });
		this.name = 'ServiceError';
	}

	get kind(): ServiceErrorKind {
		return this.facts.kind;
	}

	/** Whether the same request may well succeed later. */
	get isTransient(): boolean {
		return KINDS[this.kind].isTransient;
	}

	/** Whether it is certain that the service did nothing, so that no job was started. */
	get isDefinitelyNotProcessed(): boolean {
		const { kind, statusCode } = this.facts;
		// The service has said so in a success.
		if (kind === 'rejected' && statusCode === undefined) return false;
		if (kind === 'redirect') return REPEATING_REDIRECTS.includes(statusCode ?? 301);
		return KINDS[kind].isNotProcessed;
	}
}

/** The kind of an error of the service; undefined for any other error. */
export function kindOf(error: unknown): ServiceErrorKind | undefined {
	return error instanceof ServiceError ? error.kind : undefined;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
