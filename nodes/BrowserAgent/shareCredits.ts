import { requireCredits } from '../jobs/requireCredits';
import { SpendGuard } from '../jobs/SpendGuard';
import type { ConnectedItem } from './connectItems';
import type { Run } from './run';

/**
 * Gives the items of each account what they share: one check of its credits and, if one of them has a
 * floor, one guard of them. The highest minimum and the highest floor count.
 */
export function shareCredits(run: Run, items: ConnectedItem[]): void {
	for (const client of new Set(items.map(({ item }) => item.client))) {
		const ofAccount = items.filter(({ item }) => item.client === client);
		const floor = highest(ofAccount.map(({ prepared }) => prepared.stopBelowCredits));
		const guard = floor === undefined ? undefined : new SpendGuard(run, client, floor);
		let check: Promise<void> | undefined;
		const requireOnce = async () => {
			check ??= requireCredits(client, minimumCredits(ofAccount), run.signal);
			await check;
		};
		for (const { item } of ofAccount) Object.assign(item, { guard, requireCredits: requireOnce });
	}
}

// Asked for when the first new job is about to start: what is known already has been paid for.
function minimumCredits(items: ConnectedItem[]): number | undefined {
	const withoutJob = items.filter(({ item }) => item.entry.state === 'none');
	return highest(withoutJob.map(({ prepared }) => prepared.minimumCredits));
}

function highest(values: Array<number | undefined>): number | undefined {
	const known = values.filter((value) => value !== undefined);
	return known.length === 0 ? undefined : Math.max(...known);
}
