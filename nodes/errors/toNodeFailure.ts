import { ExpressionError, NodeError, type Failure } from 'n8n-workflow';

import { NodeFailure } from './NodeFailure';
import { messageOf, ServiceError } from './ServiceError';
import { describeFailure, SERVICE_ERROR_KINDS, type CallSubject } from './serviceErrorKinds';

export type { CallSubject } from './serviceErrorKinds';

/**
 * Converts any error to a `NodeFailure`. A `ServiceError` gets the words of the table in
 * serviceErrorKinds.ts: what happened, to which job, and what to do about it. Others keep their
 * message. With `subject.filename`, the message names the file and the job.
 */
export function toNodeFailure(error: unknown, subject: CallSubject = {}): NodeFailure {
	const { filename, jobId } = subject;
	const described = describeError(error, subject);
	if (filename === undefined) return described;
	const message = `File '${filename}' of job ${jobId} could not be downloaded: ${described.message}`;
	return new NodeFailure(message, { ...described.details, filename }, described);
}

function describeError(error: unknown, subject: CallSubject): NodeFailure {
	if (error instanceof NodeFailure) return error;
	const jobIds = subject.jobId === undefined ? undefined : [subject.jobId];
	if (error instanceof ServiceError) return describeServiceError(error, subject, jobIds);
	const message = messageOf(error);
	if (error instanceof NodeError || error instanceof ExpressionError) {
		return new NodeFailure(message, { description: error.description ?? undefined, jobIds }, error);
	}
	return new NodeFailure(message, { jobIds, isUnexpected: true }, error);
}

function describeServiceError(
	error: ServiceError,
	subject: CallSubject,
	jobIds: string[] | undefined,
): NodeFailure {
	const { jobId, filename } = subject;
	const { message, description } = describeFailure(error.facts, subject);
	// Before the name of a file, `toNodeFailure` names its job.
	const isNamed =
		filename !== undefined || jobId === undefined || message.startsWith(`Job ${jobId} `);
	const details = {
		description,
		jobIds,
		statusCode: error.facts.statusCode,
		failure: failureOf(error),
		isStopped: error.kind === 'aborted',
	};
	return new NodeFailure(isNamed ? message : `Job ${jobId}: ${message}`, details, error);
}

/** Returns the cause that n8n's scheduler reads from the error of a failed call. */
function failureOf({ kind, facts, isTransient }: ServiceError): Failure | undefined {
	const { isFromService, retryAfterMs } = facts;
	// The service may just not have been there, e.g. while it was updated.
	const isTemporary = isTransient || (kind === 'notFound' && isFromService === false);
	const { cause = isTemporary ? 'temporarily-unavailable' : undefined } = SERVICE_ERROR_KINDS[kind];
	return cause === undefined ? undefined : { cause, retryAfterMs };
}
