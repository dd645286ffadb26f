import { ServiceError, type ServiceErrorFacts } from '../../../nodes/errors/ServiceError';
import { retryRead } from '../../../nodes/service/retryRead';
import { fakeClock } from '../../support/fakeClock';

/** Reads with the nth attempt failing as the nth of `failures`; all further ones succeed. */
async function readWith(failures: Array<ServiceErrorFacts | Error>, signal?: AbortSignal) {
	const clock = fakeClock();
	let attempts = 0;
	const request = async () => {
		const failure = failures[attempts++];
		if (failure === undefined) return 'read';
		throw failure instanceof Error ? failure : new ServiceError(failure);
	};
	const outcome = await retryRead(request, { signal }, clock).catch(
		(error: Error) => error.message,
	);
	return { outcome, attempts, pauses: clock.slept };
}

describe('retryRead', () => {
	it('pauses for 1 s and 2 s after transient errors', async () => {
		const read = await readWith([{ kind: 'serverError' }, { kind: 'timeout' }]);

		expect(read).toEqual({ outcome: 'read', attempts: 3, pauses: [1_000, 2_000] });
	});

	it('throws the error of the third attempt', async () => {
		const read = await readWith([
			{ kind: 'serverError' },
			{ kind: 'timeout' },
			{ kind: 'connectionLost', detail: 'the third' },
		]);

		expect(read).toEqual({ outcome: 'the third', attempts: 3, pauses: [1_000, 2_000] });
	});

	it.each([
		['a longer one', 20_000, [20_000]],
		['a minute', 60_000, [60_000]],
		['a shorter one than its own', 10, [1_000]],
	])('pauses for as long as the service asks: %s', async (_label, retryAfterMs, pauses) => {
		const read = await readWith([{ kind: 'rateLimited', retryAfterMs }]);

		expect(read).toEqual({ outcome: 'read', attempts: 2, pauses });
	});

	it.each<[string, ServiceErrorFacts | Error, string]>([
		['that is lasting', { kind: 'notFound' }, 'notFound'],
		['after waiting for its turn', { kind: 'queueTimeout' }, 'queueTimeout'],
		['whose pause is over a minute', { kind: 'rateLimited', retryAfterMs: 60_001 }, 'rateLimited'],
		["that is not the service's", new Error('The disk is full'), 'The disk is full'],
	])('does not repeat an error %s', async (_label, failure, outcome) => {
		expect(await readWith([failure])).toEqual({ outcome, attempts: 1, pauses: [] });
	});

	it('does not repeat a request of a stopped execution', async () => {
		const read = await readWith([{ kind: 'timeout' }], AbortSignal.abort());

		expect(read).toEqual({ outcome: 'timeout', attempts: 1, pauses: [] });
	});

	it('ends its pause when the execution is stopped', async () => {
		const clock = fakeClock(0);
		const stop = new AbortController();
		const request = async () => {
			void clock.sleep(300).then(() => stop.abort());
			throw new ServiceError({ kind: 'timeout' });
		};

		const reading = retryRead(request, { signal: stop.signal }, clock);

		await expect(reading).rejects.toThrow('timeout');
		expect(clock.now()).toBe(300);
	});
});
