import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import type { JobFacts, UserError } from '../errors/UserError';
import type { Account } from '../service/Account';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job, StartedJob } from '../service/types';
import { isPaused } from './status';

/**
 * What became of an item's job:
 * `none`: nothing was sent, or the service certainly did nothing; `sending`: a start is on its way;
 * `unclear`: a start was sent, and it is unknown whether it started a job; `running`: the job was
 * started, or given by the user; `paused`: the node has paused it; `finished`: its end was seen;
 * `failed`: it has failed for good, and no further try can change that.
 */
export type JobState =
	| 'none'
	| 'sending'
	| 'unclear'
	| 'running'
	| 'paused'
	| 'finished'
	| 'failed';

/** When the node pauses the item's job. */
export interface PausePolicy {
	/** When the execution is stopped. */
	onStop: boolean;
	/** When the wait for it ends early for another reason. */
	whenAbandoned: boolean;
}

/** A job that this node has started. `startedAt` is the clock's time. */
export interface LedgerJob extends StartedJob {
	startedAt: number;
}

/** The line of an item's job in the ledger. A further job for the same item has a line of its own. */
export class LedgerEntry {
	state: JobState = 'none';

	policy: PausePolicy = { onStop: false, whenAbandoned: false };

	/** The client of the account that the job belongs to. */
	client?: ServiceClient;

	/** The job, whoever has started it. */
	jobId?: string;

	/** The job, if this node has started it. */
	started?: LedgerJob;

	/** The start on its way. */
	sending?: Promise<LedgerJob>;

	/** The node's attempt to pause the job: resolves to whether it succeeded. */
	pausing?: Promise<boolean>;

	hasPauseFailed = false;

	/** Whether a pause was sent, and no resume has certainly been processed since. */
	mayBePaused = false;

	/** Since when the start has been waiting for its turn, and for how long it waited, in ms. */
	queuedAt?: number;

	queuedMs = 0;

	/** The job as last seen. */
	job?: Job;

	/** Why it has failed for good, or why it is unclear. */
	error?: UserError;

	/** Called as soon as a job is known to be started, however late that is. */
	onStarted: (entry: LedgerEntry) => void = () => {};

	/** How many runs, each with all its tries, have not returned what has become of it. */
	openRuns = 0;

	/** The line of the next attempt, if this one's job has failed and another one may be started. */
	private next?: LedgerEntry;

	/** `users`: the runs that work with it, by their signals; equal calls of a tool at the same time share it. */
	constructor(
		private readonly clock: Clock,
		readonly users = new Set<AbortSignal>(),
	) {}

	/** What is known of the job; undefined without its ID. */
	get facts(): JobFacts | undefined {
		if (this.jobId === undefined) return undefined;
		const { job, started } = this;
		return {
			job_id: this.jobId,
			status: this.state === 'paused' ? 'paused' : (job?.status ?? started?.status),
			history_url: job?.history_url ?? started?.history_url,
			live_url: job?.live_url ?? started?.live_url,
		};
	}

	/** Whether the job was paused when it was last seen. */
	get isSeenPaused(): boolean {
		return this.job !== undefined && isPaused(this.job);
	}

	/** This line and those of the further attempts. */
	get attempts(): LedgerEntry[] {
		return [this, ...(this.next?.attempts ?? [])];
	}

	/** The line of the attempt after this one, whose job was seen to fail. */
	nextAttempt(): LedgerEntry {
		const { client, policy, onStarted } = this;
		this.state = 'finished';
		this.next ??= new LedgerEntry(this.clock, this.users);
		return Object.assign(this.next, { client, policy, onStarted });
	}

	/** To be called before a request that may start a job leaves. */
	noteSending(): void {
		this.state = 'sending';
		this.queuedMs = this.clock.now() - (this.queuedAt ?? this.clock.now());
	}

	/** The start was answered with a job. */
	noteStarted(started: StartedJob): LedgerJob {
		this.state = 'running';
		this.jobId = started.job_id;
		this.started = { ...started, startedAt: this.clock.now() };
		this.onStarted(this);
		return this.started;
	}

	/** The start failed. Unless that proves that nothing was started, it is unclear. */
	noteRejected(error: unknown): void {
		// A start is aborted only while it waits for its turn, before it is sent.
		const isCertain =
			error instanceof ServiceError && (error.isDefinitelyNotProcessed || error.kind === 'aborted');
		this.state = isCertain ? 'none' : 'unclear';
	}

	/** Resolves when the start is not on its way any more. */
	async settled(): Promise<void> {
		await this.sending?.catch(() => {});
	}

	/** Enters a job that the user has given. */
	watch(jobId: string): void {
		if (this.state === 'none') this.state = 'running';
		this.jobId = jobId;
	}
}

/** What the tries of a node run leave to one another. */
export interface LedgerStore {
	/** How often n8n has tried the run. */
	tries: number;
	entries: Map<string, LedgerEntry>;
	/** The accounts that had too few credits when the balance was read last. */
	lowAccounts: Set<Account>;
}

/** A store in which nothing is known yet. */
export function createLedgerStore(): LedgerStore {
	return { tries: 0, entries: new Map(), lowAccounts: new Set() };
}

/**
 * The jobs of one node run, by item: everything that may start a job is entered before it is sent, and
 * what the user reads about jobs is written from here. It survives the tries of Retry On Fail, which
 * continue from what is known instead of starting, and paying for, second jobs.
 */
export class JobLedger {
	// Not all of the store's: the calls of an agent's tool share one, and others may be under way.
	private readonly own = new Map<string, LedgerEntry>();

	constructor(
		private readonly store: LedgerStore,
		private readonly clock: Clock,
	) {
		store.tries++;
	}

	get tries(): number {
		return this.store.tries;
	}

	get lowAccounts(): Set<Account> {
		return this.store.lowAccounts;
	}

	/** The line of an item, as an earlier try has left it. */
	entry(key: string): LedgerEntry {
		const entry = this.store.entries.get(key) ?? new LedgerEntry(this.clock);
		this.store.entries.set(key, entry);
		// A run that uses it no more has failed: this may be its next try.
		if (!this.own.has(key) && entry.openRuns <= entry.users.size) entry.openRuns++;
		this.own.set(key, entry);
		return entry;
	}

	/** The entries of this run in one of these states. */
	inState(...states: JobState[]): LedgerEntry[] {
		return this.attempts.filter(({ state }) => states.includes(state));
	}

	/** Whether the account of an entry's job had too few credits when its balance was read last. */
	isBelowFloor({ client }: LedgerEntry): boolean {
		return client !== undefined && this.store.lowAccounts.has(client.account);
	}

	/** The IDs of all jobs that this run has started. */
	get startedJobIds(): string[] {
		return this.attempts.flatMap(({ started }) => started?.job_id ?? []);
	}

	/** Calls back for every start that is answered from now on, unless another run works with it. */
	set onStarted(callback: (entry: LedgerEntry) => void) {
		for (const entry of this.attempts) {
			if (entry.users.size === 0) entry.onStarted = callback;
		}
	}

	/** Resolves when no start is on its way any more. */
	async settled(): Promise<void> {
		await Promise.all(this.inState('sending').map((entry) => entry.settled()));
	}

	/** To be called when the run with this signal works with its entries no more. */
	release(signal: AbortSignal): void {
		for (const { users } of this.own.values()) users.delete(signal);
	}

	private get attempts(): LedgerEntry[] {
		return [...this.own.values()].flatMap(({ attempts }) => attempts);
	}

	/**
	 * Forgets this run: its results are out, and an equal call of a tool starts a new job, once all equal
	 * calls at the same time have theirs.
	 */
	clear(): void {
		for (const [key, entry] of this.own) {
			if (--entry.openRuns === 0) this.store.entries.delete(key);
		}
	}
}
