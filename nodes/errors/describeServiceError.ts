import type { Failure } from 'n8n-workflow';

import { NodeFailure } from './NodeFailure';
import { withFullStop } from './plainText';
import type { ServiceError } from './ServiceError';
import {
	describeFile,
	describeWebPage,
	SERVICE_ERROR_KINDS,
	type CallSubject,
	type FailureFacts,
	type FailureText,
} from './serviceErrorKinds';

export type { CallSubject } from './serviceErrorKinds';

/**
 * Describes a failed call to the user: what happened, to which job, and what to do about it. The
 * words are those of the table in serviceErrorKinds.ts. What a response said ends the description,
 * for a 404 with what was asked for, and why there was no response ends the message.
 */
export function describeServiceError(error: ServiceError, subject: CallSubject = {}): NodeFailure {
	const { jobId, filename } = subject;
	const { message, description } = textOf(error, subject);
	// `toNodeFailure` adds the names of a file and its job to the message.
	const isNamed =
		filename !== undefined || jobId === undefined || message.startsWith(`Job ${jobId} `);
	const details = {
		description,
		jobIds: jobId === undefined ? undefined : [jobId],
		statusCode: error.facts.statusCode,
		failure: failureOf(error),
		isStopped: error.kind === 'aborted',
	};
	return new NodeFailure(isNamed ? message : `Job ${jobId}: ${message}`, details, error);
}

/**
 * Quotes what a response said, unless it is a web page, and for a 404 says what was asked for; ''
 * if there is neither.
 */
export function quoteResponse({ statusCode, detail, isPage, asked }: FailureFacts): string {
	const isQuoted = statusCode !== undefined && detail !== undefined && isPage !== true;
	const response = isQuoted ? `Response: ${detail}` : '';
	return asked === undefined ? response : `${withFullStop(response)} Asked for: ${asked}`.trim();
}

/** Returns the words for a failed call, before its job is named. */
function textOf({ kind, facts }: ServiceError, subject: CallSubject): FailureText {
	const call = { ...facts, ...subject };
	const { describe, coversPages } = SERVICE_ERROR_KINDS[kind];
	if (call.filename !== undefined && kind !== 'aborted') return describeFile(kind, call);
	if (call.isPage === true && coversPages !== true) return describeWebPage(call);

	const { message, description = '' } = describe(call);
	const isWithoutResponse = call.statusCode === undefined && call.detail !== undefined;
	return {
		message: isWithoutResponse ? `${message}: ${call.detail}` : message,
		description: `${description} ${quoteResponse(call)}`.trim(),
	};
}

/** Returns the cause that n8n's scheduler reads from the error of a failed call. */
function failureOf({ kind, facts, isTransient }: ServiceError): Failure | undefined {
	const { isFromService, retryAfterMs } = facts;
	// The service may just not have been there, e.g. while it was updated.
	const isTemporary = isTransient || (kind === 'notFound' && isFromService === false);
	const { cause = isTemporary ? 'temporarily-unavailable' : undefined } = SERVICE_ERROR_KINDS[kind];
	return cause === undefined ? undefined : { cause, retryAfterMs };
}
