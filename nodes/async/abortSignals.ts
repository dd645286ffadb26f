/** Returns a signal that is aborted as soon as one of `signals` is. Undefined ones are ignored. */
export function anySignal(...signals: Array<AbortSignal | undefined>): AbortSignal {
	const sources = signals.filter((signal) => signal !== undefined);
	// Node.js 20 holds only weak references to the signals that another one depends on. Without this
	// reference, an `AbortSignal.timeout` could be garbage-collected before it fires.
	return Object.assign(AbortSignal.any(sources), { sources });
}

/**
 * Settles as `promise` does, or resolves to undefined as soon as the signal, if any, is aborted:
 * what becomes of `promise` is then ignored. Resolves to undefined at once without a `promise`.
 */
export async function untilAborted<T>(
	promise: Promise<T> | undefined,
	signal?: AbortSignal,
): Promise<T | undefined> {
	if (signal === undefined) return await promise;
	if (signal.aborted) {
		promise?.catch(() => {});
		return undefined;
	}
	// Node.js warns of a leak when one signal has more than ten listeners, so each call listens to a
	// signal derived from it.
	const derived = AbortSignal.any([signal]);
	let stopListening = () => {};
	const aborted = new Promise<undefined>((resolve) => {
		const onAbort = () => resolve(undefined);
		derived.addEventListener('abort', onAbort);
		stopListening = () => derived.removeEventListener('abort', onAbort);
	});
	try {
		return await Promise.race([promise, aborted]);
	} finally {
		stopListening();
	}
}
