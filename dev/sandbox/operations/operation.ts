import type { Account } from '../state/accounts';
import type { Answer } from '../reply';
import type { World } from '../state/SandboxState';

/** A request whose sender is known, as an operation sees it. */
export interface Call {
	world: World;
	account: Account;
	/** The job or workflow ID of the path. */
	id: string;
	body: unknown;
	/** Sandbox time; whatever was due by then has happened. */
	now: number;
	/** The addresses of the service and of the files' origin. */
	url: string;
	filesUrl: string;
}

export type Operation = (call: Call) => Answer & { jobId?: string };
