const CHECK_INTERVAL_MS = 1000;

/**
 * A signal that aborts when this process should stop. npm signals only its shell, so the end of the
 * parent process counts, too.
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
