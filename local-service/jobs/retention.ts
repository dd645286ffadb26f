import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

const HOUR_MS = 60 * 60_000;
const MAX_AGE_MS = 7 * 24 * HOUR_MS;
/** Who has started a job must be able to read its end, also after a restart of the service. */
const MIN_AGE_MS = HOUR_MS;
const MAX_JOBS = 1_000;

/** What the retention of a job depends on. */
export interface KeptJob {
	id: string;
	/** In ms since 1970; nothing while it hasn't ended. */
	endedAt: number | undefined;
	/** Of its folder. */
	bytes: number;
}

/**
 * Returns the IDs of the ended jobs to remove: those older than seven days, the oldest above 1,000
 * jobs, and the oldest until `maxBytes` are kept, with `otherBytes` of what is no job's. Jobs that
 * ended within the last hour stay in any case.
 */
export function jobsToRemove(
	jobs: KeptJob[],
	{ now, otherBytes, maxBytes }: { now: number; otherBytes: number; maxBytes: number },
): string[] {
	const oldestFirst = jobs
		.filter((job): job is KeptJob & { endedAt: number } => job.endedAt !== undefined)
		.sort((one, other) => one.endedAt - other.endedAt);
	let count = jobs.length;
	let bytes = jobs.reduce((sum, job) => sum + job.bytes, otherBytes);

	const removed: string[] = [];
	for (const job of oldestFirst) {
		const age = now - job.endedAt;
		if (age >= 0 && age < MIN_AGE_MS) break;
		if (count <= MAX_JOBS && bytes <= maxBytes && age <= MAX_AGE_MS) break;
		removed.push(job.id);
		count--;
		bytes -= job.bytes;
	}
	return removed;
}

/** Returns the bytes of all files in a folder. What vanishes meanwhile doesn't count. */
export async function folderBytes(folder: string): Promise<number> {
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
	let bytes = 0;
	for (const entry of entries) {
		const entryPath = path.join(folder, entry.name);
		if (entry.isDirectory()) bytes += await folderBytes(entryPath);
		else if (entry.isFile())
			bytes += await stat(entryPath).then(
				({ size }) => size,
				() => 0,
			);
	}
	return bytes;
}
