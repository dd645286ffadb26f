import { anySignal } from '../async/abortSignals';

/** Why a run of the node fails. */
export type FailReason =
	/** An error ended the run, usually that of an item. */
	| 'failed'
	/** A user stopped the execution or, in an inner execution, the suspended one. */
	| 'stopped'
	/** The execution was stopped before the run began: Retry On Fail runs the node even then. */
	| 'stoppedBeforeRun';

/** Ends a run of the node, and knows why it failed. A run that is failing can still be stopped. */
export class RunLifetime {
	private readonly over = new AbortController();

	private readonly stopped = new AbortController();

	/** Aborted only by a Stop. */
	readonly stopSignal: AbortSignal;

	/** Aborted when the run ends, for whatever reason. */
	readonly signal: AbortSignal;

	private readonly wasStoppedBeforeRun: boolean;

	/** `executionSignal`: n8n aborts it when the execution is stopped; unset in older versions. */
	constructor(executionSignal: AbortSignal | undefined) {
		this.stopSignal = anySignal(this.stopped.signal, executionSignal);
		this.signal = anySignal(this.over.signal, this.stopSignal);
		this.wasStoppedBeforeRun = this.stopSignal.aborted;
	}

	/** Whether the execution was stopped. */
	get isStopped(): boolean {
		return this.stopSignal.aborted;
	}

	/**
	 * Why the run fails: a Stop or, without one, an error. Read it only when the run is known to
	 * fail: it has a value even while the run is in progress or after it has succeeded. A Stop can
	 * still change it.
	 */
	get failReason(): FailReason {
		if (!this.isStopped) return 'failed';
		return this.wasStoppedBeforeRun ? 'stoppedBeforeRun' : 'stopped';
	}

	/** Ends the run because an item has failed or all items are done. */
	end(): void {
		this.over.abort();
	}

	/** Ends the run as a Stop of its execution would. */
	stop(): void {
		this.stopped.abort();
	}
}
