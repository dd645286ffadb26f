import { setTimeout as delay } from 'node:timers/promises';

/**
 * Resolves like `promise`, unless the signal is aborted before: then it rejects with the signal's
 * reason. What arrives after that is handed to `onLate`, so that it can be closed.
 */
export async function untilAborted<T>(
	promise: Promise<T>,
	signal: AbortSignal,
	onLate: (value: T) => unknown = () => {},
): Promise<T> {
	let stop = () => {};
	const aborted = new Promise<never>((_resolve, reject) => {
		const onAbort = () => reject(signal.reason);
		if (signal.aborted) onAbort();
		signal.addEventListener('abort', onAbort, { once: true });
		stop = () => signal.removeEventListener('abort', onAbort);
	});
	try {
		return await Promise.race([promise, aborted]);
	} catch (error) {
		// The promise has rejected itself, or its value is late.
		promise.then(onLate).catch(() => {});
		throw error;
	} finally {
		stop();
	}
}

/** Nothing has come within a limit of time. */
export class LimitError extends Error {
	constructor(ms: number) {
		super(`Nothing came within ${ms / 1000} s`);
	}
}

/** Resolves like `promise`, or rejects with a LimitError after `ms` milliseconds. */
export async function within<T>(
	ms: number,
	promise: Promise<T>,
	onLate: (value: T) => unknown = () => {},
): Promise<T> {
	const clock = new AbortController();
	const timer = setTimeout(() => clock.abort(new LimitError(ms)), ms);
	try {
		return await untilAborted(promise, clock.signal, onLate);
	} finally {
		clearTimeout(timer);
	}
}

/** Resolves after `ms` milliseconds. Rejects with the signal's reason when it is aborted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
	try {
		await delay(ms, undefined, { signal });
	} catch {
		throw signal.reason;
	}
}
