import { z } from 'zod';

import { JobFailure } from '../JobFailure';
import type { Clock } from './clock';
import { readIfThere, writeWhole } from './DataFolder';

const PERIOD_MS = 30 * 24 * 60 * 60_000;

const usageSchema = z.object({
	/** In ms since 1970. */
	periodStart: z.number(),
	used: z.number().int().min(0),
});

/** The credits of the service's user: so many for 30 days, one a step, kept on disk. */
export class Credits {
	private usage: z.infer<typeof usageSchema>;

	/**
	 * Reads what has been used from the file, if it is there. `limit` unset: unlimited. Throws if
	 * the file can't be read, since nobody knows then what has been used.
	 */
	constructor(
		private readonly file: string,
		private readonly limit: number | undefined,
		private readonly clock: Clock,
	) {
		const text = readIfThere(file);
		this.usage = text === undefined ? this.newUsage() : usageSchema.parse(JSON.parse(text));
	}

	/** What is left; nothing when unlimited. */
	get left(): number | undefined {
		this.renew();
		return this.limit === undefined ? undefined : Math.max(0, this.limit - this.usage.used);
	}

	/** When credits are full again, in ms since 1970; nothing when unlimited. */
	get nextReset(): number | undefined {
		this.renew();
		return this.limit === undefined ? undefined : this.usage.periodStart + PERIOD_MS;
	}

	/** Takes one, on disk first. Throws a JobFailure if none is left, or if it can't be written. */
	take(): void {
		if (this.left === 0) throw new JobFailure('The account ran out of credits');
		const usage = { ...this.usage, used: this.usage.used + 1 };
		try {
			writeWhole(this.file, JSON.stringify(usage));
		} catch (error) {
			throw new JobFailure('The service could not write to its data folder', { cause: error });
		}
		this.usage = usage;
	}

	private renew(): void {
		const now = this.clock.now();
		const periods = Math.floor((now - this.usage.periodStart) / PERIOD_MS);
		if (periods <= 0) return;
		this.usage = { periodStart: this.usage.periodStart + periods * PERIOD_MS, used: 0 };
	}

	private newUsage() {
		return { periodStart: this.clock.now(), used: 0 };
	}
}
