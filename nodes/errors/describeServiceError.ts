import type { Failure } from 'n8n-workflow';

import type { ServiceError, ServiceErrorFacts, ServiceErrorKind } from './ServiceError';
import { UserError } from './UserError';

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

/** Describes a failed call to the user: what happened, to which job, and what to do about it. */
export function describeServiceError(error: ServiceError, subject: CallSubject = {}): UserError {
	const { detail, statusCode } = error.facts;
	const response = detail === undefined ? '' : ` Response: ${detail}`;
	const call: FailedCall = { ...error.facts, ...subject, response };
	const { jobId, filename } = subject;
	// `toUserError` adds the file's name to the message.
	const isFile = filename !== undefined;
	const { message, description } = (isFile ? describeFileError : DESCRIBE[error.kind])(call);
	const isNamed = isFile || jobId === undefined || message.startsWith(`Job ${jobId} `);
	const details = {
		description,
		jobIds: jobId === undefined ? undefined : [jobId],
		statusCode,
		failure: failureOf(error),
		isStopped: error.kind === 'aborted',
	};
	return new UserError(isNamed ? message : `Job ${jobId}: ${message}`, details, error);
}

function failureOf(error: ServiceError): Failure | undefined {
	const { retryAfterMs } = error.facts;
	if (error.kind === 'rateLimited') return { cause: 'rate-limited', retryAfterMs };
	if (error.isTransient) return { cause: 'temporarily-unavailable', retryAfterMs };
	if (error.kind === 'notSent') return { cause: 'configuration-invalid' };
	const isCredential = error.kind === 'unauthorized' || error.kind === 'forbidden';
	return isCredential ? { cause: 'credential-invalid' } : undefined;
}

interface FailedCall extends ServiceErrorFacts, CallSubject {
	/** What the response said, as a sentence to append with a space in front; '' for nothing. */
	response: string;
}

interface ErrorText {
	message: string;
	description: string;
}

const DESCRIBE: Record<ServiceErrorKind, (call: FailedCall) => ErrorText> = {
	unauthorized: ({ response }) => ({
		message: 'The service did not accept the API key',
		description: `Check 'API Key' in the Browser Agent API credential, or create a new key in the settings of the service's web platform.${response}`,
	}),
	forbidden: ({ response }) => ({
		message: 'The API key does not have permission for this operation',
		description: `Use a key that has this permission, or ask the account's owner for one.${response}`,
	}),
	insufficientCredits: describeTooFewCredits,
	notFound: ({ jobId, label, response }) => ({
		message: `${label ?? (jobId === undefined ? 'This URL' : `Job ${jobId}`)} was not found`,
		description: `Check the ID and 'Base URL', and that the API key is from the right account.${response}`,
	}),
	gatewayNotFound: ({ response }) => ({
		message: "The service was not found at 'Base URL' (HTTP 404)",
		description: `Check 'Base URL' in the Browser Agent API credential, and any gateway in front of the service.${response}`,
	}),
	invalid: (call) =>
		describeRefusedCommand(call) ?? {
			message: `The service did not accept the request${detailSuffix(call)}`,
			description: "Check the node's parameters.",
		},
	rateLimited: ({ retryAfterMs = 60_000, response }) => ({
		message: 'Rate limit exceeded for this account',
		description: `Try again in ${Math.ceil(retryAfterMs / 1000)} s, and check whether other workflows or programs use the same key.${response}`,
	}),
	serverError: ({ statusCode, response }) => ({
		message: `The service failed to process the request (HTTP ${statusCode})`,
		description: `The problem is on the service's side. Try again later.${response}`,
	}),
	redirect: ({ statusCode }) => ({
		message: `The service responded with a redirect (HTTP ${statusCode}), which is not followed`,
		description:
			"Enter the address that it redirects to as 'Base URL' in the Browser Agent API credential.",
	}),
	rejected: (call) =>
		describeRefusedCommand(call) ?? {
			message: `The service rejected the request (HTTP ${call.statusCode})`,
			description: `Check the node's parameters and 'Base URL' in the Browser Agent API credential.${call.response}`,
		},
	proxyUnauthorized: () => ({
		message: 'A proxy between n8n and the service requires a login (HTTP 407)',
		description:
			"Check the user name and password in n8n's HTTP_PROXY and HTTPS_PROXY, or add the service's host to NO_PROXY.",
	}),
	unreachable: ({ detail }) => ({
		message: `The service could not be reached: ${detail}`,
		description:
			"Check 'Base URL' in the Browser Agent API credential, and that n8n can reach that address.",
	}),
	notSent: ({ detail }) => ({
		message: `The request was not sent: ${detail}`,
		description:
			"Check the Browser Agent API credential, and which addresses n8n's administrator allows.",
	}),
	timeout: () => ({
		message: 'The service did not respond in time',
		description: 'Try again later. The service may be busy or the network slow.',
	}),
	connectionLost: () => ({
		message: 'The connection to the service was lost before the response was complete',
		description: 'Try again. If it happens often, check the network and any proxies.',
	}),
	encryptionFailed: () => ({
		message: 'The encrypted connection to the service failed',
		description:
			"Check 'Base URL' in the Browser Agent API credential: the port may expect http:// instead of https://.",
	}),
	unreadable: ({ response }) => ({
		message: "The service's response could not be read",
		description: `Check 'Base URL' in the Browser Agent API credential: something else may be responding there.${response}`,
	}),
	queueTimeout: () => ({
		message: "The request timed out while waiting for the account's rate limit",
		description:
			'Nothing was sent. Too many calls are queued for this account: run fewer items or workflows with the same key at the same time, then try again.',
	}),
	tooLarge: ({ detail }) => ({
		message: `The service's response is too large${detail === undefined ? '' : ` (${detail})`}`,
		description: "Check 'Base URL' in the Browser Agent API credential.",
	}),
	tooSlow: describeFileError,
	invalidLink: describeFileError,
	aborted: () => ({ message: 'Execution canceled', description: 'The request was aborted.' }),
};

function describeTooFewCredits({ action, suggestsCheaperModel, response }: FailedCall): ErrorText {
	const message = 'The account has too few credits';
	const advice = "Add credits in the service's web platform";
	if (action === 'resume') {
		return { message: `${message} to resume the job`, description: `${advice}.${response}` };
	}
	if (action !== 'start') return { message, description: `${advice}.${response}` };
	// Each model has its own price per step.
	const alternative =
		suggestsCheaperModel === true ? ', or choose a model that uses fewer credits per step' : '';
	return {
		message: `${message} to start a job`,
		description: `Nothing was started. ${advice}${alternative}.${response}`,
	};
}

/**
 * Describes a refused pause or resume: usually the job is not in the right state for it. Undefined
 * for any other call.
 */
function describeRefusedCommand(call: FailedCall): ErrorText | undefined {
	const { action, jobId } = call;
	if (action === 'pause') {
		return {
			message: `Job ${jobId} could not be paused${detailSuffix(call)}`,
			description: 'Only a running job can be paused. Check its status with Job: Get Status.',
		};
	}
	if (action === 'resume') {
		return {
			message: `Job ${jobId} could not be resumed${detailSuffix(call)}`,
			description: 'Only a paused job can be resumed. Check its status with Job: Get Status.',
		};
	}
	return undefined;
}

function detailSuffix({ detail }: FailedCall): string {
	return detail === undefined ? '' : `: ${detail}`;
}

// Doesn't mention the service, because files may come from another host.
function describeFileError(call: FailedCall): ErrorText {
	const { kind, detail, statusCode } = call;
	if (kind === 'aborted') return DESCRIBE.aborted(call);
	if (kind === 'tooLarge') {
		return {
			message: `it is larger than the limit (${detail})`,
			description:
				"Raise 'Max File Size (MB)', or exclude the file with 'File Names' of Job File: Download.",
		};
	}
	const reason = statusCode === undefined ? detail : `HTTP ${statusCode}`;
	return {
		message: reason ?? 'the download was incomplete',
		description: "Try again later, or check the job's files in the service's web platform.",
	};
}
