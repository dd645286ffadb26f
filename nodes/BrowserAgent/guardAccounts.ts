import { SpendGuard } from '../jobs/SpendGuard';
import type { ServiceClient } from '../service/ServiceClient';
import type { ReadyItem } from './connectItems';
import type { Run } from './run';

/** Gives the items of each account one guard of its credits; the highest floor of its items counts. */
export function guardAccounts(run: Run, items: ReadyItem[]): void {
	const connected = items.flatMap((one) => ('item' in one ? one : []));
	const floors = new Map<ServiceClient, number>();
	for (const { item, prepared } of connected) {
		const { stopBelowCredits: floor } = prepared;
		if (floor === undefined) continue;
		floors.set(item.client, Math.max(floor, floors.get(item.client) ?? 0));
	}
	const guards = new Map<ServiceClient, SpendGuard>();
	for (const [client, floor] of floors) guards.set(client, new SpendGuard(run, client, floor));
	for (const { item } of connected) item.guard = guards.get(item.client);
}
