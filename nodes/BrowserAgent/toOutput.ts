import type { INodeExecutionData } from 'n8n-workflow';

import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import { toErrorItem } from '../output/errorItem';
import { toToolItem } from '../output/toolItem';
import { showHint } from './showHint';
import type { Run, SettledItem } from './types';

/**
 * The output of a run that has ended: each output item is paired with the input item that it comes
 * from.
 */
export function toOutput(run: Run, settled: SettledItem[]): INodeExecutionData[] {
	const hint = toHint(run);
	if (hint !== undefined) showHint(run.context, hint);
	// With an error among the items, n8n may run the node again.
	if (!settled.some(({ outcome }) => outcome.kind === 'failed')) run.ledger.forgetAnswered();
	const redactData = (data: unknown) => run.clients.redactData(data);
	return settled.flatMap(({ itemIndex: item, outcome }): INodeExecutionData[] => {
		if (outcome.kind === 'suspended') return [];
		if (outcome.kind === 'failed') return [toErrorItem(outcome.error, run, item)];
		const json = run.isTool ? toToolItem(outcome.json, redactData) : outcome.json;
		const output = { json, pairedItem: { item } };
		return [outcome.binary === undefined ? output : { ...output, binary: outcome.binary }];
	});
}

/** What became of the jobs; undefined for a single one, whose item says everything. */
function toHint({ ledger, redact }: Run): string | undefined {
	const jobs = ledger.entries.filter(({ known: { jobId } }) => jobId !== undefined);
	if (jobs.length < 2) return undefined;

	const counts = new Map<string, number>();
	for (const { known, details } of jobs) {
		const wasSeen = known.job !== undefined;
		const status = wasSeen ? (details?.status ?? '') : known.started ? 'started' : 'unknown';
		const label = toPlainText(redact(status), MAX_NAME_CHARACTERS);
		counts.set(label, (counts.get(label) ?? 0) + 1);
	}
	const statuses = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
	return toPlainText(`${jobs.length} jobs: ${statuses}.`);
}
