const CHECK_INTERVAL_MS = 1000;

/**
 * A signal that aborts when this process should stop; a second request ends it at once. npm signals
 * only its shell, so where npm has started this process, the end of its parent counts, too.
 */
export function stopSignal(): AbortSignal {
	const stop = new AbortController();
	for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(event, () => {
			if (stop.signal.aborted) process.exit(1);
			stop.abort();
		});
	}
	if (process.env.npm_lifecycle_event !== undefined) {
		const parent = process.ppid;
		setInterval(() => {
			if (process.ppid !== parent) stop.abort();
		}, CHECK_INTERVAL_MS).unref();
	}
	return stop.signal;
}
