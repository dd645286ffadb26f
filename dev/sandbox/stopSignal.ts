const CHECK_INTERVAL_MS = 1000;

/**
 * Aborts when this process is to stop. npm asks only its shell, so the parent's end counts, too.
 */
export function stopSignal(): AbortSignal {
	const stop = new AbortController();
	for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
		process.on(event, () => stop.abort());
	}
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid !== parent) stop.abort();
	}, CHECK_INTERVAL_MS);
	timer.unref();
	return stop.signal;
}
