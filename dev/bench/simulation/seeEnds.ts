import { SimulatedProcess } from './SimulatedProcess';
import { SimulatedService } from './SimulatedService';

/** When the end of a job was seen, in virtual time. */
export interface SimulatedEnd {
	delaySeconds: number;
	polls: number;
}

export interface SimulatedEndOptions {
	/** Polls at this interval instead of scheduling as the package does. */
	everySeconds?: number;
	/** Durations of earlier jobs on the same account, as shares of the job's own. */
	earlier?: number[];
	seed: number;
}

/** Waits for the end of a job, the only one of its account at that time. */
export async function seeSimulatedEnd(
	durationSeconds: number,
	{ everySeconds, earlier = [], seed }: SimulatedEndOptions,
): Promise<SimulatedEnd> {
	const service = new SimulatedService(seed);
	const { clock, counters } = service;
	const process = new SimulatedProcess(service);
	const { signal } = new AbortController();
	const wait = async (seconds: number) => {
		const bornAt = clock.now();
		const endsAt = bornAt + seconds * 1000;
		const pollsBefore = counters.polls;
		if (everySeconds === undefined) {
			await process.waitFor({ waitBegan: bornAt, startedAt: bornAt, endsAt, signal });
		} else {
			let sentAt = bornAt;
			while (sentAt < endsAt) {
				await clock.sleep(everySeconds * 1000);
				sentAt = clock.now();
				await service.call('polls');
			}
		}
		const delaySeconds = (clock.now() - endsAt) / 1000;
		return { delaySeconds, polls: counters.polls - pollsBefore };
	};
	await Promise.all(earlier.map(async (share) => await wait(share * durationSeconds)));
	// The calls of the earlier jobs count for another minute.
	await clock.sleep(60_000);
	return await wait(durationSeconds);
}
