import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { TRANSITIONS } from '../../../nodes/jobs/jobStates';

const PAGE = join(__dirname, '../../../docs/design.md');
// The page says once what most states have in common.
const ITS_END = '`ended` → `finished`, `failed` → `failed`';

/** The table in the docs: what each event makes of each state. */
function documentedTransitions(): Record<string, Record<string, string>> {
	const page = readFileSync(PAGE, 'utf8');
	expect(page).toContain(`"Its end" stands for ${ITS_END}`);
	const rows = page.match(/^\| `\w+` .*\|$/gm) ?? [];
	return Object.fromEntries(
		rows.map((row) => {
			const [state = '', , events = ''] = row.split('|').slice(1, -1);
			const pairs = [...events.replace('its end', ITS_END).matchAll(/`(\w+)` → `(\w+)`/g)];
			return [
				state.replaceAll(/[ `]/g, ''),
				Object.fromEntries(pairs.map(([, event = '', next = '']) => [event, next])),
			];
		}),
	);
}

describe('An entry of the ledger', () => {
	it('is documented with all its states and transitions', () => {
		expect(documentedTransitions()).toEqual(TRANSITIONS);
	});
});
