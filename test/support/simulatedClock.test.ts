import axios from 'axios';

import { simulatedClock } from './simulatedClock';
import { useServer } from './useServer';
import { waitFor } from './waitFor';

const HOUR_MS = 3_600_000;

describe('the simulated clock', () => {
	const server = useServer();

	it('jumps to the end of a sleep', async () => {
		const clock = simulatedClock();
		const before = clock.now();

		await clock.sleep(HOUR_MS);

		expect(clock.now() - before).toBe(HOUR_MS);
	});

	it('wakes the sleepers in the order of their times', async () => {
		const clock = simulatedClock();
		const woken: number[] = [];
		const sleep = async (ms: number) => {
			await clock.sleep(ms);
			woken.push(ms);
		};

		await Promise.all([300, 100, 200].map(sleep));

		expect(woken).toEqual([100, 200, 300]);
	});

	it('ends a sleep whose signal is aborted, without letting its time pass', async () => {
		const clock = simulatedClock();
		const stop = new AbortController();
		clock.hold();
		const before = clock.now();
		const sleeping = clock.sleep(HOUR_MS, stop.signal);

		stop.abort();

		await sleeping;
		expect(clock.now()).toBe(before);
	});

	it('stands still while a request is under way', async () => {
		const clock = simulatedClock();
		const before = clock.now();
		let respond = () => {};
		server.answers((_arrival, response) => {
			respond = () => response.end('{}');
		});

		const response = axios.get(server.url);
		await waitFor(() => expect(server.arrivals).toHaveLength(1));
		const sleeping = clock.sleep(HOUR_MS);
		respond();

		await response;
		expect(clock.now()).toBe(before);
		await sleeping;
	});

	it('lets a timeout end a request that stalls', async () => {
		const clock = simulatedClock();
		const before = clock.now();
		server.answers(() => {});

		const response = axios.get(server.url, { signal: clock.timeout(30_000) });

		await expect(response).rejects.toThrow('canceled');
		expect(clock.now() - before).toBe(30_000);
	});

	it('lets time pass only in advance when it is held', async () => {
		const clock = simulatedClock();
		let isAwake = false;
		clock.hold();
		void clock.sleep(1_000).then(() => (isAwake = true));

		await clock.advance(999);
		expect(isAwake).toBe(false);
		await clock.advance(1);
		expect(isAwake).toBe(true);
	});
});
