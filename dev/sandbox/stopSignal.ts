const CHECK_INTERVAL_MS = 1000;

/**
 * Aborts when the user or the system asks this process to stop. npm asks only its shell, so the end
 * of the parent process counts as well.
 */
export function stopSignal(): AbortSignal {
	const stop = new AbortController();
	for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
		process.on(event, () => stop.abort());
	}
	const parent = process.ppid;
	setInterval(() => process.ppid === parent || stop.abort(), CHECK_INTERVAL_MS).unref();
	return stop.signal;
}
