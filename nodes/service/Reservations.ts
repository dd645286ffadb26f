// Long enough that n8n's delay in resuming an execution does not matter.
const SLOT_MS = 10_000;
// The rest is left for calls without a reservation.
const RESERVED_SHARE = 0.8;

/**
 * Tracks the reserved calls of a rate limit, in slots of ten seconds. They are kept in memory, so
 * reservations by other processes or from before a restart are unknown. A reservation doesn't
 * guarantee a permit: it only makes later reservations choose another time.
 */
export class Reservations {
	/** The number of reserved calls in each slot, by the slot's number since the epoch. */
	private readonly slots = new Map<number, number>();

	/**
	 * Reserves calls at the first time from `wantedAt` on that has room, and returns that time. Calls
	 * that don't fit in its slot take room in the next ones. `spacingMs` is the interval between
	 * evenly spaced calls. Timestamps are `Clock` times in ms.
	 */
	reserve(
		wantedAt: number,
		calls: number,
		{ now, spacingMs }: { now: number; spacingMs: number },
	): number {
		for (const slot of this.slots.keys()) {
			if ((slot + 1) * SLOT_MS <= now) this.slots.delete(slot);
		}
		const room = (RESERVED_SHARE * SLOT_MS) / spacingMs;
		let slot = Math.floor(wantedAt / SLOT_MS);
		// The calls of a slot fill it from its start, so the part before `wantedAt` can't be used.
		let used = Math.max(this.usedIn(slot), (wantedAt / SLOT_MS - slot) * room);
		while (used >= room) used = this.usedIn(++slot);
		const freeAt = (slot + used / room) * SLOT_MS;

		// If a slot has room for less than one call, the call spans several.
		for (let left = calls; left > 0; used = this.usedIn(++slot)) {
			const taken = Math.min(left, Math.max(0, room - used));
			this.slots.set(slot, used + taken);
			left -= taken;
		}
		return freeAt;
	}

	private usedIn(slot: number): number {
		return this.slots.get(slot) ?? 0;
	}
}
