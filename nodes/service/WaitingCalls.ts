import { ServiceError } from '../errors/ServiceError';
import { FairQueue, type QueueEntry } from './FairQueue';
import { SortedList } from './SortedList';

/** A call that waits for its turn. */
export interface WaitingCall extends QueueEntry {
	/** When this signal is aborted, the call is rejected with `aborted`. */
	signal?: AbortSignal;
	/** When to reject the call with `queueTimeout`: a `Clock` timestamp in ms, or infinite. */
	deadline: number;
	reject: (error: ServiceError) => void;
}

/**
 * The calls that wait for their turn. Rejects and removes a call when its signal is aborted, and in
 * `rejectOverdue` after its deadline.
 */
export class WaitingCalls<T extends WaitingCall> {
	private readonly queue = new FairQueue<T>();

	/** The calls that have a deadline. */
	private readonly byDeadline = new SortedList<T>(
		(a, b) => a.deadline - b.deadline || a.position - b.position,
	);

	/** The calls of each signal. A signal has one listener for all its calls. */
	private readonly bySignal = new Map<AbortSignal, Set<T>>();

	/** `onAborted` is called after a signal was aborted and its calls were rejected. */
	constructor(private readonly onAborted: () => void) {}

	get size(): number {
		return this.queue.size;
	}

	/** The earliest deadline of a waiting call; infinite if none has one. */
	get nextDeadline(): number {
		return this.byDeadline.first?.deadline ?? Infinity;
	}

	/** Adds a call. Its signal must not be aborted yet. */
	add(call: T): void {
		this.queue.add(call);
		if (call.deadline < Infinity) this.byDeadline.add(call);
		if (call.signal !== undefined) this.listen(call.signal).add(call);
	}

	/** Removes the next call and returns it, as `FairQueue.takeNext` does. */
	takeNext(options: { allowsSpaced: boolean }): T | undefined {
		const call = this.queue.takeNext(options);
		if (call !== undefined) this.forget(call);
		return call;
	}

	/** Rejects the calls whose deadline is not after `now`. */
	rejectOverdue(now: number): void {
		for (;;) {
			const call = this.byDeadline.first;
			if (call === undefined || call.deadline > now) return;
			this.reject(call, 'queueTimeout');
		}
	}

	/** Returns the waiting calls of a signal, and listens to it from now on. */
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

	/** Forgets the deadline and the signal of a call that has left the queue. */
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
