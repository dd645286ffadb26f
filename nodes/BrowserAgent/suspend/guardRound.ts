import type { Clock } from '../../async/clock';
import { BALANCE_INTERVAL_MS, readCredits } from '../../jobs/SpendGuard';
import type { ServiceClient } from '../../service/ServiceClient';
import { isSuspended, type Run, type RunResult } from '../run';
import { openWaits, type StoredGuard, type SuspendedState } from './state';

/** The guard of items that all have the same account, as it is stored; undefined if there is none. */
export function toStoredGuard(results: RunResult[], clock: Clock): StoredGuard | undefined {
	const [guard] = results.flatMap(
		({ result }) => (isSuspended(result) && result.suspended.item.guard) || [],
	);
	if (guard === undefined) return undefined;
	const { floor, lastReadAt } = guard;
	return { floor, lastReadDate: lastReadAt && lastReadAt - clock.now() + clock.date() };
}

/** Ends the open waits if the account has too few credits. Reads the balance every two minutes at most. */
export async function guardRound(
	run: Run,
	client: ServiceClient,
	state: SuspendedState,
): Promise<void> {
	const { guard } = state;
	const open = openWaits(state);
	const now = run.clock.date();
	if (guard === undefined || open.length === 0) return;
	if (now < (guard.lastReadDate ?? 0) + BALANCE_INTERVAL_MS) return;

	guard.lastReadDate = now;
	const credits = await readCredits(client, run);
	if (credits === undefined || credits >= guard.floor) return;
	guard.credits = credits;
	for (const wait of open) wait.reason = 'lowCredits';
}
