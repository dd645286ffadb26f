// Right after its start the service may not know a job everywhere.
const UNKNOWN_AT_FIRST_MS = 10_000;

const starts = new Map<string, number>();

/** Notes that this process has just started a job. `now` is the clock's time. */
export function noteStart(jobId: string, now: number): void {
	for (const [known, startedAt] of starts) {
		if (now - startedAt >= UNKNOWN_AT_FIRST_MS) starts.delete(known);
	}
	starts.set(jobId, now);
}

/** Whether the service may not know a job yet, since it was started only seconds ago. */
export function mayBeUnknownYet(
	jobId: string,
	now: number,
	startedAt = starts.get(jobId),
): boolean {
	return startedAt !== undefined && now - startedAt < UNKNOWN_AT_FIRST_MS;
}
