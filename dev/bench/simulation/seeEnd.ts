import { SimulatedProcess } from './SimulatedProcess';
import { SimulatedService } from './SimulatedService';

export interface SeeEndOptions {
	/** Polls at this interval instead of scheduling as the package does. */
	everySeconds?: number;
	seed: number;
}

/** Waits in virtual time for the end of a job, the only one of its account; returns what that took. */
export async function seeEnd(
	durationSeconds: number,
	{ everySeconds, seed }: SeeEndOptions,
): Promise<{ delaySeconds: number; polls: number }> {
	const service = new SimulatedService(seed);
	const { clock, counters } = service;
	const endsAt = durationSeconds * 1000;
	if (everySeconds === undefined) {
		const { signal } = new AbortController();
		const job = { waitBegan: 0, startedAt: 0, endsAt, signal };
		await new SimulatedProcess(service).waitFor(job);
	} else {
		let sentAt = 0;
		while (sentAt < endsAt) {
			await clock.sleep(everySeconds * 1000);
			sentAt = clock.now();
			await service.call('polls');
		}
	}
	return { delaySeconds: (clock.now() - endsAt) / 1000, polls: counters.polls };
}
