// Long enough that n8n's delay in resuming an execution does not matter.
const SLOT_MS = 10_000;
// The rest is for calls that nobody has announced.
const RESERVED_SHARE = 0.8;

/**
 * How many calls of a rate limit are reserved for which time. It is kept in memory, so that
 * reservations by other processes, or from before a restart, are unknown. A reservation doesn't
 * guarantee a permit: it only makes later reservations choose another time.
 */
export class Reservations {
	/** How many calls are reserved in each slot of time, by its number. */
	private readonly slots = new Map<number, number>();

	/**
	 * Reserves calls at the first time from `wantedAt` on that has room, and returns that time.
	 * `spacingMs` is the time between calls if they are spread evenly. Times are the clock's, in ms.
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
		// The calls of a slot come one after the other, so that what is before `wantedAt` is over.
		let used = Math.max(this.usedIn(slot), (wantedAt / SLOT_MS - slot) * room);
		while (used >= room) used = this.usedIn(++slot);
		const freeAt = (slot + used / room) * SLOT_MS;

		// With little room, one call takes several slots.
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
