import { retry, type RetryPolicy } from '../../../nodes/async/retry';
import { ServiceError, type FailureFacts } from '../../../nodes/errors/ServiceError';
import { COMMAND_POLICY, READ_POLICY, START_POLICY } from '../../../nodes/service/retryPolicies';
import { SimulatedClock } from '../../../dev/engine/SimulatedClock';

/** Makes tries, the nth of which fails as the nth of `failures`; all later ones succeed. */
async function tryWith(policy: RetryPolicy, failures: Array<FailureFacts | Error>) {
	const clock = new SimulatedClock();
	const triedAt: number[] = [];
	const task = async () => {
		const failure = failures[triedAt.length];
		triedAt.push(clock.now());
		if (failure === undefined) return 'done';
		throw failure instanceof Error ? failure : new ServiceError(failure);
	};
	const outcome = await retry(task, { clock, policy }).catch((error: Error) => error.message);
	const pauses = triedAt.slice(1).map((time, index) => time - (triedAt[index] ?? NaN));
	return { outcome, tries: triedAt.length, pauses };
}

describe('READ_POLICY', () => {
	it('pauses for 1 s and 2 s after transient errors, and gives up after the third try', async () => {
		const read = await tryWith(READ_POLICY, [
			{ kind: 'serverError' },
			{ kind: 'timeout' },
			{ kind: 'connectionLost', detail: 'the third' },
		]);

		expect(read).toEqual({ outcome: 'the third', tries: 3, pauses: [1_000, 2_000] });
	});

	it.each([
		['a minute', 60_000, [60_000]],
		['a shorter one than its own', 10, [1_000]],
	])('pauses for as long as the service asks: %s', async (_label, retryAfterMs, pauses) => {
		const read = await tryWith(READ_POLICY, [{ kind: 'rateLimited', retryAfterMs }]);

		expect(read).toEqual({ outcome: 'done', tries: 2, pauses });
	});

	it.each<[string, FailureFacts | Error, string]>([
		['that is lasting', { kind: 'notFound' }, 'notFound'],
		['after waiting for its turn', { kind: 'queueTimeout' }, 'queueTimeout'],
		['whose pause is over a minute', { kind: 'rateLimited', retryAfterMs: 60_001 }, 'rateLimited'],
		["that is not the service's", new Error('The disk is full'), 'The disk is full'],
	])('does not repeat an error %s', async (_label, failure, outcome) => {
		expect(await tryWith(READ_POLICY, [failure])).toEqual({ outcome, tries: 1, pauses: [] });
	});
});

describe('COMMAND_POLICY', () => {
	it('repeats a command twice at most, after a 429', async () => {
		const limited = { kind: 'rateLimited', retryAfterMs: 20_000 } as const;

		const command = await tryWith(COMMAND_POLICY, [limited, limited, limited]);

		expect(command).toEqual({ outcome: 'rateLimited', tries: 3, pauses: [20_000, 20_000] });
	});

	it('repeats a command that has not reached the service', async () => {
		const command = await tryWith(COMMAND_POLICY, [{ kind: 'unreachable' }]);

		expect(command).toEqual({ outcome: 'done', tries: 2, pauses: [1_000] });
	});

	it.each(['serverError', 'timeout', 'connectionLost', 'notFound'] as const)(
		'does not repeat a command after any other error: %s',
		async (kind) => {
			const command = await tryWith(COMMAND_POLICY, [{ kind }]);

			expect(command).toEqual({ outcome: kind, tries: 1, pauses: [] });
		},
	);
});

describe('START_POLICY', () => {
	it.each([
		'rateLimited',
		'unauthorized',
		'insufficientCredits',
		'notFound',
		'rejected',
		'serverError',
		'timeout',
		'connectionLost',
		'notSent',
	] as const)('does not repeat a start after an error of the kind %s', async (kind) => {
		const start = await tryWith(START_POLICY, [{ kind }]);

		expect(start).toEqual({ outcome: kind, tries: 1, pauses: [] });
	});
});
