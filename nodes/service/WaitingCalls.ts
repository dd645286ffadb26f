import { ServiceError } from '../errors/ServiceError';
import { FairQueue, type QueueEntry } from './FairQueue';
import { SortedList } from './SortedList';

/** A call that waits for its turn, or until it is rejected. */
export interface WaitingCall extends QueueEntry {
	/** Rejects it with `aborted`. */
	signal?: AbortSignal;
	/** The clock's time at which it is rejected with `queueTimeout`. */
	deadline: number;
	reject: (error: ServiceError) => void;
}

/** The calls that wait for their turn. Those that are rejected wait no longer. */
export class WaitingCalls<T extends WaitingCall> {
	private readonly queue = new FairQueue<T>();

	/** Those that have a deadline. */
	private readonly byDeadline = new SortedList<T>(
		(one, other) => one.deadline - other.deadline || one.position - other.position,
	);

	/** Those of each signal, which has one listener for all of them. */
	private readonly bySignal = new Map<AbortSignal, Set<T>>();

	/** `onAborted` is called after calls were rejected because of their signal. */
	constructor(private readonly onAborted: () => void) {}

	get size(): number {
		return this.queue.size;
	}

	/** When the next call is to be rejected; infinite if none has a deadline. */
	get nextDeadline(): number {
		return this.byDeadline.first?.deadline ?? Infinity;
	}

	/** Adds a call, whose signal is not aborted yet. */
	add(call: T): void {
		this.queue.add(call);
		if (call.deadline < Infinity) this.byDeadline.add(call);
		if (call.signal !== undefined) this.listen(call.signal).add(call);
	}

	/** Takes the next call out, as `FairQueue` does. */
	next(options: { withSpaced: boolean }): T | undefined {
		const call = this.queue.next(options);
		if (call !== undefined) this.forget(call);
		return call;
	}

	/** Rejects the calls whose deadline has come. */
	rejectLate(now: number): void {
		for (;;) {
			const call = this.byDeadline.first;
			if (call === undefined || call.deadline > now) return;
			this.reject(call, 'queueTimeout');
		}
	}

	/** Returns the waiting calls of a signal, which is listened to from now on. */
	private listen(signal: AbortSignal): Set<T> {
		const known = this.bySignal.get(signal);
		if (known !== undefined) return known;
		const calls = new Set<T>();
		this.bySignal.set(signal, calls);
		signal.addEventListener('abort', this.onAbort);
		return calls;
	}

	private readonly onAbort = ({ target }: Event): void => {
		for (const call of this.bySignal.get(target as AbortSignal) ?? []) {
			this.reject(call, 'aborted');
		}
		this.onAborted();
	};

	private reject(call: T, kind: 'queueTimeout' | 'aborted'): void {
		this.queue.delete(call);
		this.forget(call);
		call.reject(new ServiceError({ kind }));
	}

	/** Forgets the deadline and the signal of a call that is out of the queue. */
	private forget(call: T): void {
		this.byDeadline.delete(call);
		const { signal } = call;
		if (signal === undefined) return;
		const calls = this.bySignal.get(signal);
		calls?.delete(call);
		if (calls?.size !== 0) return;
		this.bySignal.delete(signal);
		signal.removeEventListener('abort', this.onAbort);
	}
}
