import { SERVICE_ERROR_KINDS, type FailureFacts, type ServiceErrorKind } from './serviceErrorKinds';

export type { FailureFacts, ServiceErrorKind } from './serviceErrorKinds';

const NOT_SENT: ServiceErrorKind[] = ['unreachable', 'notSent', 'queueTimeout'];

/** Structured facts about a failed call. `toNodeFailure` turns them into a message. */
export class ServiceError extends Error {
	constructor(
		readonly facts: FailureFacts,
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
		return SERVICE_ERROR_KINDS[this.kind].nature === 'transient';
	}

	/**
	 * Whether the request was turned down, or blocked on its way, for a reason that may persist: a
	 * 3xx, a 4xx other than 408 and 429, a 2xx that reports an error or is too large, or a block by
	 * n8n.
	 */
	get isRefusal(): boolean {
		return SERVICE_ERROR_KINDS[this.kind].nature === 'refusal';
	}

	/**
	 * Whether the request may have left this process: false if there was no connection, if n8n
	 * did not send it, or if it had no turn in time.
	 */
	get mayHaveBeenSent(): boolean {
		return !NOT_SENT.includes(this.kind);
	}

	/** Whether the service itself, and nothing in front of it, did not accept the API key. */
	get isOwnUnauthorized(): boolean {
		return this.kind === 'unauthorized' && this.facts.isFromService === true;
	}

	/** Whether it is certain that the service did nothing, so that no job was started. */
	get provesNothingWasDone(): boolean {
		const { isNotProcessed } = SERVICE_ERROR_KINDS[this.kind];
		if (typeof isNotProcessed === 'boolean') return isNotProcessed;
		return isNotProcessed(this.facts.statusCode);
	}
}

/** Returns the kind of a `ServiceError`, or undefined for any other error. */
export function kindOf(error: unknown): ServiceErrorKind | undefined {
	return factsOf(error).kind;
}

/** Returns what is known of a failed call; nothing for any other error. */
export function factsOf(error: unknown): Partial<FailureFacts> {
	return error instanceof ServiceError ? error.facts : {};
}

/** Whether an error is a `ServiceError` after which the same request may well succeed later. */
export function isTransient(error: unknown): boolean {
	return error instanceof ServiceError && error.isTransient;
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Returns the error and its causes, the root cause last; nothing for what is not an `Error`. */
export function causesOf(error: unknown): Error[] {
	return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}
