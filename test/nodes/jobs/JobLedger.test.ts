import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

import { UserError } from '../../../nodes/errors/UserError';
import { TRANSITIONS, type JobEvent } from '../../../nodes/jobs/jobStates';
import { LedgerEntry } from '../../../nodes/jobs/LedgerEntry';
import { aJob } from '../../support/aJob';
import { fakeClock } from '../../support/fakeClock';

const PAGE = join(__dirname, '../../../docs/design.md');
const EVENTS = [
	...new Set(Object.values(TRANSITIONS).flatMap((events) => Object.keys(events))),
] as JobEvent[];

/** The table in the docs: what each event makes of each state. */
function documentedTransitions(): Record<string, Record<string, string>> {
	const rows = readFileSync(PAGE, 'utf8').match(/^\| `\w+` .*\|$/gm) ?? [];
	return Object.fromEntries(
		rows.map((row) => {
			const [state = '', , events = ''] = row.split('|').slice(1, -1);
			const pairs = [...events.matchAll(/`(\w+)` → `(\w+)`/g)];
			return [
				state.replaceAll(/[ `]/g, ''),
				Object.fromEntries(pairs.map(([, event = '', next = '']) => [event, next])),
			];
		}),
	);
}

/** Lets an entry know of an event, as other modules do. */
function tell(entry: LedgerEntry, event: JobEvent): void {
	const error = new UserError('failed');
	switch (event) {
		case 'started':
			return entry.recordStarted({ job_id: 'job_1', body: {} });
		case 'startLost':
			return entry.record(event, { error });
		case 'watched':
			return entry.record(event, { jobId: 'job_1' });
		case 'seenRunning':
			return entry.recordSeen(aJob({ status: 'running' }));
		case 'seenPaused':
			return entry.recordSeen(aJob({ status: 'paused' }));
		case 'seenTakenOver':
			return entry.recordSeen(aJob({ status: 'user_taken_over' }));
		case 'ended':
			return entry.recordSeen(aJob({ status: 'completed' }));
		case 'failed':
			return entry.record(event, { error });
		default:
			return entry.record(event);
	}
}

describe('An entry of the ledger', () => {
	it('is documented with all its states and transitions', () => {
		expect(documentedTransitions()).toEqual(TRANSITIONS);
	});

	it('changes as the table in the docs says, whatever happens', () => {
		const table = documentedTransitions();
		fc.assert(
			fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 30 }), (events) => {
				const entry = new LedgerEntry(fakeClock());
				let state: string = 'none';
				for (const event of events) {
					tell(entry, event);
					state = table[state]?.[event] ?? state;
					expect(entry.state).toBe(state);
				}
			}),
			{ numRuns: Number(process.env.MODEL_SEQUENCES ?? 2_000) },
		);
	});
});
