import type { Failure } from 'n8n-workflow';

import { withFullStop } from './plainText';

const PRIVATE_CA =
	"If the service, or a proxy in front of it, has its certificate from a private CA, set NODE_EXTRA_CA_CERTS in n8n's environment to a file with the CA's certificate, and restart n8n.";
const RENEW =
	'Whoever runs that host must renew the certificate. Also check the clock on the machine that runs n8n.';
const PLAIN_PORT =
	'Check the scheme of the address: the port may expect http:// instead of https://.';

/** What to do about a connection that failed with one of these codes of Node.js. */
export const CONNECTION_ADVICE: Partial<Record<string, string>> = {
	DEPTH_ZERO_SELF_SIGNED_CERT: PRIVATE_CA,
	SELF_SIGNED_CERT_IN_CHAIN: PRIVATE_CA,
	UNABLE_TO_GET_ISSUER_CERT: PRIVATE_CA,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: PRIVATE_CA,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: PRIVATE_CA,
	CERT_UNTRUSTED: PRIVATE_CA,
	CERT_HAS_EXPIRED: RENEW,
	CERT_NOT_YET_VALID: RENEW,
	EPROTO: PLAIN_PORT,
	ERR_SSL_WRONG_VERSION_NUMBER: PLAIN_PORT,
};

/** What is known of a failed call. */
export interface FailureFacts {
	kind: ServiceErrorKind;
	/** The status of the response. Unset without one, and if a 2xx body was not read to its end. */
	statusCode?: number;
	/**
	 * Whether the body of the response has a form in which the service reports errors. If not,
	 * something in front of the service may have responded, e.g. a proxy. Unset without a response,
	 * and if its body was not read.
	 */
	isFromService?: boolean;
	/** Set if the body is a web page, which comes from something in front of the service. */
	isPage?: true;
	/** More about the cause, e.g. what the service said: redacted, at most 500 characters. */
	detail?: string;
	/** What a call asked for that was not found: method, path and host, safe to show. */
	asked?: string;
	/** Where a redirect leads. Unset for any other response, and without a valid target. */
	redirect?: Redirect;
	/** Node.js's code of a connection that failed. */
	code?: string;
	/** How long the response asks to wait, in ms, capped at what the caller accepts. */
	retryAfterMs?: number;
	/** After a 401 from the service itself: the version of the key, as `RenewableKey` counts them. */
	keyVersion?: number;
}

/** Where a redirect leads, safe to show. */
export interface Redirect {
	/** Origin and path. */
	target: string;
	/** What the target begins with if it ends in the path that was asked for. */
	baseUrl?: string;
}

/** What a failed call was about. */
export interface CallSubject {
	jobId?: string;
	/** What a message about a 404 names, e.g. "Workflow wf_1". Default: the job, or else the URL. */
	label?: string;
	/** Whether to suggest a cheaper model if there are too few credits. Default: no. */
	suggestsCheaperModel?: boolean;
	/** The name of the file concerned, redacted and short. */
	filename?: string;
	/** What the call was to do. Unset for a read. */
	action?: 'start' | 'pause' | 'resume';
}

/** What the user reads of an error. */
export interface FailureText {
	message: string;
	description?: string;
}

/** What a kind of failed call means, and how it is described. */
interface ServiceErrorKindRow {
	/**
	 * The HTTP statuses of this kind. A single status takes precedence over a range such as '4xx'.
	 */
	statuses?: Array<number | '2xx' | '3xx' | '4xx' | '5xx'>;
	/**
	 * `transient`: the same request may well succeed later, as after any trouble with the network.
	 * `refusal`: the request was turned down, or blocked on its way, for a reason that may persist.
	 * `givenUp`: the caller has ended the call, a download was too slow, or its link can't be used.
	 */
	nature: 'transient' | 'refusal' | 'givenUp';
	/** Whether the service certainly did nothing. */
	isNotProcessed: boolean | ((statusCode?: number) => boolean);
	/** What n8n's scheduler reads. Default: `temporarily-unavailable` if transient, or nothing. */
	cause?: Failure['cause'];
	/** Whether `describe` suits a web page, too. Default: no, `describeWebPage` does. */
	coversPages?: boolean;
	/** Returns the words, to which `describeFailure` adds the detail. */
	describe: (facts: FailureFacts, subject: CallSubject) => FailureText;
}

// These statuses ask the client to send the same request to another URL. Other redirects may be the
// response to a request that was processed.
const SAME_REQUEST_REDIRECTS = [301, 307, 308];

const CHECK_FILES = "Try again later, or check at the job's history_url which files it has.";
const RAISE_LIMIT =
	"Raise 'Max File Size (MB)', or exclude the file with 'File Names' of Job File: Download.";
const CHECK_REACH =
	"Check 'Base URL' in the Browser Agent API credential, and that n8n can reach that address. If the message names a proxy instead, check HTTPS_PROXY, HTTP_PROXY and NO_PROXY in n8n's environment.";

const TABLE = {
	// The service, or something in front of it, responded.

	/** It doesn't accept the API key. */
	unauthorized: {
		statuses: [401],
		nature: 'refusal',
		isNotProcessed: true,
		cause: 'credential-invalid',
		describe: (facts) =>
			facts.isFromService === false
				? describeForeignRefusal(facts)
				: {
						message: 'The service did not accept the API key',
						description:
							"Enter a valid key of this service as 'API Key' in the Browser Agent API credential.",
					},
	},
	/** The account has too few credits. */
	insufficientCredits: {
		statuses: [402],
		nature: 'refusal',
		isNotProcessed: true,
		describe: describeTooFewCredits,
	},
	/** The API key lacks the required permission. */
	forbidden: {
		statuses: [403],
		nature: 'refusal',
		isNotProcessed: true,
		cause: 'credential-invalid',
		describe: (facts) =>
			facts.isFromService === false
				? describeForeignRefusal(facts)
				: {
						message: 'The API key does not have permission for this operation',
						description: "Use a key that has this permission, or ask the account's owner for one.",
					},
	},
	/** The service doesn't know the job, or something in front of it doesn't know the URL. */
	notFound: {
		statuses: [404, 410],
		nature: 'refusal',
		isNotProcessed: true,
		coversPages: true,
		describe: describeNotFound,
	},
	/** Too many calls. */
	rateLimited: {
		statuses: [429],
		nature: 'transient',
		isNotProcessed: true,
		cause: 'rate-limited',
		coversPages: true,
		describe: ({ retryAfterMs = 60_000 }) => ({
			message: 'Rate limit exceeded for this account',
			description: `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s, and check whether other workflows or programs use the same key.`,
		}),
	},
	/** Any other refusal, or a 2xx response whose body says that the request failed. */
	rejected: {
		statuses: ['4xx'],
		nature: 'refusal',
		isNotProcessed: (statusCode = 200) => statusCode >= 400,
		describe: describeRejection,
	},
	/** A redirect, which is not followed. */
	redirect: {
		statuses: ['3xx'],
		nature: 'refusal',
		isNotProcessed: (statusCode = 300) => SAME_REQUEST_REDIRECTS.includes(statusCode),
		coversPages: true,
		describe: ({ statusCode, redirect }) => ({
			message: `The service responded with a redirect (HTTP ${statusCode}), which is not followed`,
			description: describeTarget(redirect),
		}),
	},
	/** It failed to process the request. */
	serverError: {
		statuses: ['5xx'],
		nature: 'transient',
		isNotProcessed: false,
		describe: ({ statusCode }, { action }) => ({
			message: `The service failed to process the request (HTTP ${statusCode})`,
			description: `The problem is on the service's side.${unlessStart(' Try again later.', action)}`,
		}),
	},
	/** There is no data of the expected form, e.g. a web page or a job without a status. */
	unreadable: {
		statuses: ['2xx'],
		nature: 'transient',
		isNotProcessed: false,
		describe: () => ({
			message: "The service's response could not be read",
			description:
				"Check 'Base URL' in the Browser Agent API credential: something else may be responding there.",
		}),
	},
	/** The response, or the file, is larger than the limit. */
	tooLarge: {
		nature: 'refusal',
		isNotProcessed: false,
		describe: () => ({
			message: "The service's response is too large",
			description: "Check 'Base URL' in the Browser Agent API credential.",
		}),
	},

	// There was no response, and the request has not reached the service.

	/** There was no connection to the host, or to a proxy, or its certificate was not accepted. */
	unreachable: {
		nature: 'transient',
		isNotProcessed: true,
		describe: ({ code = '' }) => ({
			message: 'The service could not be reached',
			description: CONNECTION_ADVICE[code] ?? CHECK_REACH,
		}),
	},
	/** n8n or the credential did not let the request out, e.g. to a blocked host. */
	notSent: {
		nature: 'refusal',
		isNotProcessed: true,
		cause: 'configuration-invalid',
		describe: () => ({
			message: 'The request was not sent',
			description:
				"Check the Browser Agent API credential, and which addresses n8n's administrator allows.",
		}),
	},
	/** The call had no turn within the rate limit in time. */
	queueTimeout: {
		nature: 'transient',
		isNotProcessed: true,
		describe: () => ({
			message: "The request timed out while waiting for the account's rate limit",
			description:
				'Nothing was sent. Too many calls are queued for this account: run fewer items or workflows with the same key at the same time, then try again.',
		}),
	},

	// There was no whole response, and the request may have been processed.

	/** The response was not complete in time, or says so. */
	timeout: {
		statuses: [408],
		nature: 'transient',
		isNotProcessed: false,
		describe: (_facts, { action }) => ({
			message: 'The service did not respond in time',
			description: `${unlessStart('Try again later. ', action)}The service may be busy or the network slow.`,
		}),
	},
	/** The connection failed before the response was complete. */
	connectionLost: {
		nature: 'transient',
		isNotProcessed: false,
		describe: ({ code = '' }, { action }) => ({
			message: 'The connection to the service was lost before the response was complete',
			description:
				CONNECTION_ADVICE[code] ??
				`${unlessStart('Try again. ', action)}If it happens often, check the network and any proxies.`,
		}),
	},
	/** The caller's signal was aborted, before or after the request was sent. */
	aborted: {
		nature: 'givenUp',
		isNotProcessed: false,
		describe: () => ({
			message: 'Execution canceled',
			description: 'The request was aborted.',
		}),
	},

	// Only for files and lists behind links.

	/** Nothing arrived for too long. */
	tooSlow: { nature: 'givenUp', isNotProcessed: false, describe: describeDownload },
	/** The link is missing, can't be followed to a file, or must not be followed. */
	invalidLink: { nature: 'givenUp', isNotProcessed: false, describe: describeDownload },
} satisfies Record<string, ServiceErrorKindRow>;

/** Why a call to the service failed. */
export type ServiceErrorKind = keyof typeof TABLE;

/** The kinds of failed calls: which responses they stand for, what they mean, and their words. */
export const SERVICE_ERROR_KINDS: Readonly<Record<ServiceErrorKind, ServiceErrorKindRow>> = TABLE;

/** Returns the kind of a response that is an error; `unreadable` if its status has no other. */
export function kindOfStatus(statusCode: number): ServiceErrorKind {
	const kinds = Object.keys(TABLE) as ServiceErrorKind[];
	const range = `${Math.floor(statusCode / 100)}xx`;
	const kindWith = (status: number | string) =>
		kinds.find((kind) => SERVICE_ERROR_KINDS[kind].statuses?.some((one) => one === status));
	return kindWith(statusCode) ?? kindWith(range) ?? 'unreadable';
}

/**
 * Returns the words for a failed call, which may not name its job yet. The description ends with
 * what a response said, unless it is a web page, and for a 404 with what was asked for. Without a
 * response, the message ends with the reason. For a file, the words are only the end of a message.
 */
export function describeFailure(facts: FailureFacts, subject: CallSubject): FailureText {
	const { kind, statusCode, detail, isPage } = facts;
	const { describe, coversPages } = SERVICE_ERROR_KINDS[kind];
	if (subject.filename !== undefined && kind !== 'aborted') return describeFile(facts);
	if (isPage === true && coversPages !== true) return describeWebPage(facts);

	const { message, description = '' } = describe(facts, subject);
	const isWithoutResponse = statusCode === undefined && detail !== undefined;
	return {
		message: isWithoutResponse ? `${message}: ${detail}` : message,
		description: `${description} ${quoteResponse(facts)}`.trim(),
	};
}

/**
 * Quotes what a response said, unless it is a web page, and for a 404 says what was asked for; ''
 * if there is neither.
 */
export function quoteResponse(facts: Partial<FailureFacts>): string {
	const { statusCode, detail, isPage, asked } = facts;
	const isQuoted = statusCode !== undefined && detail !== undefined && isPage !== true;
	const response = isQuoted ? `Response: ${detail}` : '';
	return asked === undefined ? response : `${withFullStop(response)} Asked for: ${asked}`.trim();
}

/** Returns the advice, or '' for a start: it may have started a job, and people would pay twice. */
function unlessStart(advice: string, action: CallSubject['action']): string {
	return action === 'start' ? '' : advice;
}

function describeTarget(redirect: Redirect | undefined): string {
	if (redirect === undefined) return "Check 'Base URL' in the Browser Agent API credential.";
	const { target, baseUrl } = redirect;
	return baseUrl === undefined
		? `It redirects to ${target}, so something in front of the service probably wants a sign-in. Check 'Base URL' in the Browser Agent API credential.`
		: `It redirects to ${target}. Enter '${baseUrl}' as 'Base URL' in the Browser Agent API credential.`;
}

/** Describes a web page in place of a response of the service. */
function describeWebPage({ statusCode }: FailureFacts): FailureText {
	return {
		message: `A web page arrived instead of the service's response (HTTP ${statusCode})`,
		description:
			"Something in front of the service has responded, e.g. a proxy, a firewall or a login page. If it happens again, check n8n's proxy settings, and 'Base URL' in the Browser Agent API credential.",
	};
}

/**
 * Describes why a file could not be downloaded, as the end of a message. Doesn't mention the
 * service, because files may come from another host.
 */
function describeFile({
	kind,
	code = '',
	detail = 'the download was incomplete',
	statusCode,
}: FailureFacts): FailureText {
	return {
		message: statusCode === undefined ? detail : `HTTP ${statusCode}`,
		description: kind === 'tooLarge' ? RAISE_LIMIT : (CONNECTION_ADVICE[code] ?? CHECK_FILES),
	};
}

function describeDownload(): FailureText {
	return { message: 'The download failed', description: CHECK_FILES };
}

/** Describes a 401 or 403 that may not be about the API key, e.g. a proxy's. */
function describeForeignRefusal({ statusCode }: FailureFacts): FailureText {
	return {
		message: `The request was not accepted, perhaps by something in front of the service (HTTP ${statusCode})`,
		description:
			"Check any gateway or proxy in front of the service, and 'API Key' and 'Base URL' in the Browser Agent API credential.",
	};
}

function describeNotFound(
	{ isFromService, statusCode }: FailureFacts,
	{ jobId, label }: CallSubject,
): FailureText {
	if (isFromService === false) {
		return {
			message: `The service was not found at 'Base URL' (HTTP ${statusCode})`,
			description:
				"Check 'Base URL' in the Browser Agent API credential, and any gateway in front of the service.",
		};
	}
	return {
		message: `${label ?? (jobId === undefined ? 'This URL' : `Job ${jobId}`)} was not found`,
		description: "Check the ID and 'Base URL', and that the API key is from the right account.",
	};
}

function describeTooFewCredits(
	_facts: FailureFacts,
	{ action, suggestsCheaperModel }: CallSubject,
): FailureText {
	const message = 'The account has too few credits';
	const advice = 'Add credits (in the local service, raise SERVICE_CREDITS)';
	if (action === 'resume') {
		return { message: `${message} to resume the job`, description: `${advice}.` };
	}
	if (action !== 'start') return { message, description: `${advice}.` };
	// Each model has its own price per step.
	const alternative =
		suggestsCheaperModel === true ? ', or choose a model that uses fewer credits per step' : '';
	return {
		message: `${message} to start a job`,
		description: `Nothing was started. ${advice}${alternative}.`,
	};
}

/** Describes a rejected request. A pause or resume is usually rejected for the job's state. */
function describeRejection(
	{ statusCode }: FailureFacts,
	{ action, jobId }: CallSubject,
): FailureText {
	if (action === 'pause' || action === 'resume') {
		const [done, required] = action === 'pause' ? ['paused', 'running'] : ['resumed', 'paused'];
		return {
			message: `Job ${jobId} could not be ${done}`,
			description: `Only a ${required} job can be ${done}. Check its status with Job: Get Status.`,
		};
	}
	return {
		message: `The service did not accept the request (HTTP ${statusCode})`,
		description: "Check the node's parameters, and 'Base URL' in the Browser Agent API credential.",
	};
}
