import type { Account } from '../Account';
import type { Backend } from '../backend';
import type { Reply } from '../reply';

/** What an operation knows about its request. */
export interface OperationInput {
	backend: Backend;
	account: Account;
	/** The job or workflow ID in the path; empty if there is none. */
	id: string;
	body: unknown;
	/** In ms since 1970. Everything due by then has happened. */
	now: number;
	/** The service's address, without a trailing slash. */
	url: string;
	/** The address of the files, without a trailing slash. */
	filesUrl: string;
}

/** Carries out an authorized and valid request. What it throws as a `Refusal` is the reply. */
export type Operation = (input: OperationInput) => Reply;
