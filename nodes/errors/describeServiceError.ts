import type { Failure } from 'n8n-workflow';

import type { ServiceError } from './ServiceError';
import {
	describeFileFailure,
	describeWebPage,
	SERVICE_ERROR_KINDS,
	type CallSubject,
	type FailedCall,
} from './serviceErrorKinds';
import { UserError } from './UserError';

export type { CallSubject } from './serviceErrorKinds';

/**
 * Describes a failed call to the user: what happened, to which job, and what to do about it. The
 * words are those of the table in serviceErrorKinds.ts.
 */
export function describeServiceError(error: ServiceError, subject: CallSubject = {}): UserError {
	const { detail, statusCode } = error.facts;
	const response = detail === undefined ? '' : ` Response: ${detail}`;
	const call: FailedCall = { ...error.facts, ...subject, response };
	const { jobId, filename } = subject;
	// `toUserError` adds the file's name to the message.
	const isFile = filename !== undefined;
	const row = SERVICE_ERROR_KINDS[error.kind];
	const isStrayPage = call.isPage === true && row.coversPages !== true;
	const describe = isStrayPage ? describeWebPage : row.describe;
	const { describeFile = describeFileFailure } = row;
	const { message, description } = isFile ? describeFile(call) : describe(call);
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

/** Returns the cause that n8n's scheduler reads from the error of a failed call. */
function failureOf({ kind, facts, isTransient }: ServiceError): Failure | undefined {
	const { isFromService, retryAfterMs } = facts;
	// The service may just not have been there, e.g. while it was updated.
	const isTemporary = isTransient || (kind === 'notFound' && isFromService === false);
	const { cause = isTemporary ? 'temporarily-unavailable' : undefined } = SERVICE_ERROR_KINDS[kind];
	return cause === undefined ? undefined : { cause, retryAfterMs };
}
