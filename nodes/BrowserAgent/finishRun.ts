import type { INodeExecutionData } from 'n8n-workflow';

import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import type { LedgerEntry } from '../jobs/LedgerEntry';
import { toErrorItem } from '../output/errorItem';
import { toToolItem } from '../output/toolItem';
import { filesHint } from './filesHint';
import { linkHint } from './linkHint';
import type { ItemOutcome, Run } from './types';

/**
 * Returns the output of a run, each item paired with the input item that it comes from. Shows
 * hints: the jobs counted by status, files that were not downloaded, or links to the pages of a
 * single job.
 */
export function finishRun(run: Run, outcomes: ItemOutcome[]): INodeExecutionData[] {
	for (const hint of [countHint(run), filesHint(outcomes), linkHint(outcomes)]) {
		if (hint !== undefined) run.showHint(hint);
	}
	const redactData = (data: unknown) => run.clients.redactData(data);
	return outcomes.flatMap(({ itemIndex, outcome }): INodeExecutionData[] => {
		if (outcome.kind === 'suspended') return [];
		if (outcome.kind === 'failed') return [toErrorItem(outcome.error, run, itemIndex)];
		const json = run.isTool ? toToolItem(outcome.json, redactData) : outcome.json;
		const output = { json, pairedItem: { item: itemIndex } };
		return [outcome.binary === undefined ? output : { ...output, binary: outcome.binary }];
	});
}

/** Counts the jobs by status; undefined for a single job, whose item shows its status. */
function countHint({ ledger, redact }: Run): string | undefined {
	const jobs = ledger.entries.filter(({ known: { jobId } }) => jobId !== undefined);
	if (jobs.length < 2) return undefined;

	const counts = new Map<string, number>();
	for (const entry of jobs) {
		const label = toPlainText(redact(statusOf(entry)), MAX_NAME_CHARACTERS);
		counts.set(label, (counts.get(label) ?? 0) + 1);
	}
	const statuses = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
	return toPlainText(`${jobs.length} jobs: ${statuses}.`);
}

// `details` has the status `paused` if the node has paused the job since it was last seen.
function statusOf({ known, details }: LedgerEntry): string {
	if (known.job !== undefined) return details?.status ?? '';
	return known.started === undefined ? 'unknown' : 'started';
}
