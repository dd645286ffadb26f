import type { Reply } from '../reply';
import type { Account } from '../Account';
import type { SandboxState } from '../../dev/sandbox/state/SandboxState';

/** What an operation knows about its request. */
export interface OperationInput {
	state: SandboxState;
	account: Account;
	/** The job or workflow ID in the path; empty if there is none. */
	id: string;
	body: unknown;
	/** Sandbox time in ms since 1970. All events due by then have run. */
	now: number;
	/** The service's address, without a trailing slash. */
	url: string;
	/** The address of the files, without a trailing slash. */
	filesUrl: string;
}

/** A reply; `jobId` tells the request log which job was started. */
type OperationReply = Reply & { jobId?: string };

/** Carries out an authorized and valid request. */
export type Operation = (input: OperationInput) => OperationReply;
