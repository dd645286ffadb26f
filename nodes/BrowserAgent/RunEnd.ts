import { anySignal } from '../async/abortSignals';

/** Why a run of the node ends before all its items have their outcomes. */
export type EndReason =
	/** An item has failed, and the node with it. */
	| 'failed'
	/** A user has stopped the execution, or the suspended one that this one works for. */
	| 'stopped'
	/** It had been stopped before the run began: Retry On Fail runs the node even then. */
	| 'stoppedBefore';

/**
 * When and why a run of the node ends. A run that has failed may still be stopped while it ends.
 */
export class RunEnd {
	private readonly over = new AbortController();

	private readonly stopped = new AbortController();

	/** Aborted by a Stop only. */
	readonly stopSignal: AbortSignal;

	/** Aborted when the run ends, for whatever reason. */
	readonly signal: AbortSignal;

	private readonly beganStopped: boolean;

	/** `executionSignal`: n8n aborts it when the execution is stopped; unset in older versions. */
	constructor(executionSignal: AbortSignal | undefined) {
		this.stopSignal = anySignal(this.stopped.signal, executionSignal);
		this.signal = anySignal(this.over.signal, this.stopSignal);
		this.beganStopped = this.stopSignal.aborted;
	}

	get isStop(): boolean {
		return this.stopSignal.aborted;
	}

	/** Why the run has ended. While it goes on: 'failed', as it ends without a Stop. */
	get reason(): EndReason {
		if (!this.isStop) return 'failed';
		return this.beganStopped ? 'stoppedBefore' : 'stopped';
	}

	/** Ends the run: an item has failed, or all is done. */
	finish(): void {
		this.over.abort();
	}

	/** Ends the run as a Stop of its execution would. */
	stop(): void {
		this.stopped.abort();
	}
}
