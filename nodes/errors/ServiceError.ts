/**
 * The kinds of failed calls. `isTransient`: the same request may well succeed later.
 * `isNotProcessed`: the service certainly did nothing; `byStatus`: the response's status decides.
 */
const KINDS = {
	// The service responded.
	/** 400 or 422: it doesn't accept the request's parameters. */
	invalid: { isTransient: false, isNotProcessed: true },
	/** 401: it doesn't accept the API key. */
	unauthorized: { isTransient: false, isNotProcessed: true },
	/** 402: the account has too few credits. */
	insufficientCredits: { isTransient: false, isNotProcessed: true },
	/** 403: the API key lacks the required permission. */
	forbidden: { isTransient: false, isNotProcessed: true },
	/** 404 whose body comes from the service itself: it doesn't know the job, or the URL. */
	notFound: { isTransient: false, isNotProcessed: true },
	/** Any other 4xx, or a 2xx response whose body says that the request failed. */
	rejected: { isTransient: false, isNotProcessed: 'byStatus' },

	// The service, or something in front of it, responded.
	/** 3xx, which is not followed. */
	redirect: { isTransient: false, isNotProcessed: 'byStatus' },
	/** 429. */
	rateLimited: { isTransient: true, isNotProcessed: true },
	/** 5xx. */
	serverError: { isTransient: true, isNotProcessed: false },

	// Something in front of the service responded.
	/** 404 from a gateway, which doesn't say whether the service knows the job. */
	gatewayNotFound: { isTransient: false, isNotProcessed: true },
	/** 407: a proxy requires a login. */
	proxyUnauthorized: { isTransient: false, isNotProcessed: true },

	// The request has not reached the service.
	/** There was no connection, or the certificate of the host was not accepted. */
	unreachable: { isTransient: true, isNotProcessed: true },
	/** n8n or the credential refused to send the request, e.g. to a blocked host. */
	notSent: { isTransient: false, isNotProcessed: true },
	/** The rate limit gave no permit by the deadline. */
	queueTimeout: { isTransient: true, isNotProcessed: true },

	// There was no usable response, and the request may have been processed.
	/** The response was not complete in time, or was a 408. */
	timeout: { isTransient: true, isNotProcessed: false },
	/** The connection was closed before the response was complete. */
	connectionLost: { isTransient: true, isNotProcessed: false },
	/** TLS failed, perhaps after the request was sent. */
	encryptionFailed: { isTransient: true, isNotProcessed: false },
	/** A 2xx response without the expected data, e.g. a web page or a job without a status. */
	unreadable: { isTransient: true, isNotProcessed: false },
	/** The response, or the file, is larger than the limit. */
	tooLarge: { isTransient: false, isNotProcessed: false },
	/** The caller's signal was aborted, before or after the request was sent. */
	aborted: { isTransient: false, isNotProcessed: false },

	// Only for files and pages behind links.
	/** The download was slower than allowed, or not complete by its deadline. */
	tooSlow: { isTransient: false, isNotProcessed: false },
	/** The link is missing, can't be followed to a file, or must not be followed. */
	invalidLink: { isTransient: false, isNotProcessed: false },
} satisfies Record<string, { isTransient: boolean; isNotProcessed: boolean | 'byStatus' }>;

/** Why a call to the service failed. */
export type ServiceErrorKind = keyof typeof KINDS;

/** What is known of a failed call. */
export interface ServiceErrorFacts {
	kind: ServiceErrorKind;
	/**
	 * The status of the response. Unset without a response, and for some errors in a 2xx response.
	 */
	statusCode?: number;
	/**
	 * Whether the body of the response has the form that the service's own have. If not, something
	 * in front of the service has probably sent it, e.g. a proxy.
	 */
	isFromService?: boolean;
	/** More about the cause, e.g. what the service said: redacted, at most 500 characters. */
	detail?: string;
	/** How long the service asks to wait before the next request, in ms. */
	retryAfterMs?: number;
}

// These statuses ask the client to send the same request to another URL. Other redirects may be the
// response to a request that was processed.
const SAME_REQUEST_REDIRECTS = [301, 307, 308];

/** Structured facts about a failed call. `describeServiceError` turns them into a message. */
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
	get provesNothingWasDone(): boolean {
		const { kind, statusCode } = this.facts;
		const { isNotProcessed } = KINDS[kind];
		if (isNotProcessed !== 'byStatus') return isNotProcessed;
		// Without a status, the body of a 2xx response says that the request failed.
		if (statusCode === undefined) return false;
		return kind !== 'redirect' || SAME_REQUEST_REDIRECTS.includes(statusCode);
	}
}

/** Returns the kind of a `ServiceError`, or undefined for any other error. */
export function kindOf(error: unknown): ServiceErrorKind | undefined {
	return error instanceof ServiceError ? error.kind : undefined;
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
