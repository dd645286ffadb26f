/** One signal for several: aborted as soon as one of them is. Undefined entries are ignored. */
export function anySignal(...signals: Array<AbortSignal | undefined>): AbortSignal {
	const sources = signals.filter((signal) => signal !== undefined);
	// Node.js 20 refers to them weakly, and a timeout that is collected never fires.
	return Object.assign(AbortSignal.any(sources), { sources });
}

/** Settles as `promise` does, or resolves to undefined as soon as the signal is aborted. */
export async function untilAborted<T>(
	promise: Promise<T> | undefined,
	signal: AbortSignal,
): Promise<T | undefined> {
	if (signal.aborted) {
		promise?.catch(() => {});
		return undefined;
	}
	// A derived signal: Node.js warns of a leak when one signal has more than ten listeners.
	const own = AbortSignal.any([signal]);
	let stopListening = () => {};
	const aborted = new Promise<undefined>((resolve) => {
		const onAbort = () => resolve(undefined);
		own.addEventListener('abort', onAbort);
		stopListening = () => own.removeEventListener('abort', onAbort);
	});
	try {
		return await Promise.race([promise, aborted]);
	} finally {
		stopListening();
	}
}
