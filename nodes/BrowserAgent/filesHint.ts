import type { ItemOutcome } from './types';

/**
 * Returns a hint about files that the service has announced and that were not downloaded: how to
 * get them. Undefined if there are none.
 */
export function filesHint(outcomes: ItemOutcome[]): string | undefined {
	const counts = outcomes.flatMap(({ outcome }) =>
		outcome.kind === 'output' ? (outcome.otherFiles ?? []) : [],
	);
	if (counts.length === 0) return undefined;

	const total = counts.reduce((sum, count) => sum + count);
	const jobs = counts.length === 1 ? 'The job has' : `${counts.length} jobs have`;
	const files = total === 1 ? '1 file, which was' : `${total} files, which were`;
	return `${jobs} ${files} not downloaded. To get the files, use Job File: Download, or turn on the option 'Download Files'.`;
}
