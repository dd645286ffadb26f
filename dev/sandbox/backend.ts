import type { Account } from '../../api/Account';
import {
	type ArrivedRequest,
	type Backend,
	type JobStart,
	Refusal,
	type Workflow,
} from '../../api/backend';
import { LOOPBACK_NAMES, type OwnAddress } from '../../api/rejectForeignRequests';
import { findWorkflow } from './answers/workflows';
import { FollowedRequest } from './faults/FollowedRequest';
import type { Job } from './state/Job';
import type { SandboxState } from './state/SandboxState';

/** Where a sandbox is reached: on this machine only. */
export const SANDBOX_ADDRESS: OwnAddress = {
	name: 'The sandbox',
	hostRule: "the sandbox's own loopback address and port",
	hosts: (port) => LOOPBACK_NAMES.map((name) => `${name}:${port}`),
};

/** The simulated service behind the API. */
export class SandboxBackend implements Backend {
	readonly address = SANDBOX_ADDRESS;

	constructor(private readonly state: SandboxState) {}

	get rateLimiters() {
		return this.state.rateLimiters;
	}

	get fileLinks() {
		return this.state.fileLinks;
	}

	now(): number {
		return this.state.runDueEvents();
	}

	findAccount(key: string): Account | undefined {
		return this.state.accounts.get(key);
	}

	findJob(id: string): Job | undefined {
		return this.state.jobs.get(id);
	}

	findWorkflow(id: string): Workflow | undefined {
		return findWorkflow(id);
	}

	/** The job behaves as the next script for it says. */
	startJob(start: JobStart, now: number): Job {
		const { state } = this;
		if (!state.hasRoom(start.account)) {
			throw new Refusal(429, 'Maximum concurrent sessions reached');
		}
		const { maxDurationMinutes } = start.browserConfig;
		const script = state.scripts.take(start.workflowId ?? '', start.directive);
		return state.startJob({ ...start, maxDurationMinutes, script }, now);
	}

	followRequest(request: ArrivedRequest): FollowedRequest {
		return new FollowedRequest(this.state, request);
	}
}
