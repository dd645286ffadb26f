import type { IHttpRequestOptions } from 'n8n-workflow';

import type { Account as SandboxAccount } from '../../api/Account';
import { Account } from '../../nodes/service/Account';
import { createClient } from '../../nodes/service/ClientFactory';
import type { ServiceLimits } from '../../nodes/service/documentedValues';
import type { ServiceClient } from '../../nodes/service/ServiceClient';
import { InProcessSandbox, type HelperResponse } from '../sandbox/InProcessSandbox';
import type { Job } from '../sandbox/state/Job';
import type { Counters, Fault } from '../sandbox/types';
import { SimulatedClock } from './SimulatedClock';

// Its credits are unlimited.
const KEY = 'sandbox-enterprise-key';
const MAX_DURATION_MINUTES = 240;

export interface SimulatedAccountOptions {
	/** Spreads the calls of the processes of an account, from 0 to 1. */
	random?: () => number;
	/** How long a request, and how long its response, is on its way, in ms. */
	latencyMs?: () => number;
}

/** A poll that has arrived at the service. */
export interface ArrivedPoll {
	jobId: string;
	/** By the clock, in ms. */
	at: number;
}

/**
 * An account of the in-process sandbox in simulated time, with the documented rate limits and
 * unlimited credits. Calls go through the package's own client to the sandbox's own operations.
 */
export class SimulatedAccount {
	readonly clock = new SimulatedClock(0);

	/** All polls so far, in the order of their arrival. */
	readonly polls: ArrivedPoll[] = [];

	private readonly sandbox: InProcessSandbox;

	private readonly random: () => number;

	private readonly latencyMs: () => number;

	/** How many jobs were started through `start`: their directives differ. */
	private startCount = 0;

	constructor({ random = Math.random, latencyMs = () => 0 }: SimulatedAccountOptions = {}) {
		this.random = random;
		this.latencyMs = latencyMs;
		this.sandbox = new InProcessSandbox({ clock: this.clock }, latencyMs);
	}

	/** Connects another process: what it learns about the rate limits, no other one knows. */
	connect(limits?: ServiceLimits): ServiceClient {
		const { clock, random } = this;
		const send = async (options: IHttpRequestOptions) => await this.send(options);
		return createClient({ baseUrl: this.sandbox.url, apiKey: KEY }, send, {
			clock,
			accountOf: (id) => new Account(id, clock, limits, random),
		});
	}

	/** Adds a job that somebody else has just started. Without a duration, it never ends. */
	givenJob(durationMs?: number): Job {
		const { state } = this.sandbox;
		const account = state.accounts.get(KEY) as SandboxAccount;
		const script =
			durationMs === undefined ? { statuses: ['running'] } : { durationSeconds: durationMs / 1000 };
		return state.startGivenJob(account, script, { maxDurationMinutes: MAX_DURATION_MINUTES });
	}

	/** The path and body of a start of a job that will run for this long. */
	toStart(durationMs: number) {
		const directive = `Do task ${++this.startCount}.`;
		this.sandbox.state.scripts.add([{ match: directive, durationSeconds: durationMs / 1000 }]);
		return {
			path: '/v1/run_browser_agent',
			body: { directive, browser_config: { max_duration_minutes: MAX_DURATION_MINUTES } },
		};
	}

	/** Makes the next matching calls fail. */
	fault(fault: Fault): void {
		this.sandbox.state.faults.add(fault);
	}

	/** How many calls of each kind have arrived so far. */
	get requests(): Counters['requests'] {
		return this.sandbox.state.counters.requests;
	}

	/** How many starts and polls have arrived so far, and how many of them were refused. */
	get counts(): { calls: number; refused: number } {
		const { counters, rateLimiters } = this.sandbox.state;
		const { requests, faults } = counters;
		return {
			calls: requests.startAgent + requests.getJob,
			refused: rateLimiters.refused + faults,
		};
	}

	/** Sends a request with the account's key, as n8n's HTTP helpers do. */
	private async send(options: IHttpRequestOptions): Promise<HelperResponse> {
		const signal = options.abortSignal as AbortSignal | undefined;
		await this.clock.sleep(this.latencyMs(), signal);
		const headers = { ...options.headers, Authorization: `Bearer ${KEY}` };
		const { logEntry, response } = this.sandbox.receive({ ...options, headers });
		if (logEntry.endpoint === 'getJob') {
			this.polls.push({ jobId: logEntry.jobId ?? '', at: this.clock.now() });
		}
		return await response;
	}
}
