import { createRuntime } from '../../nodes/runtime';
import { fakeClock } from '../support/fakeClock';

const HOUR_MS = 3_600_000;

describe('Runtime', () => {
	it('has one account per name, and one scheduler per account', () => {
		const runtime = createRuntime({ clock: fakeClock() });

		const [one, again, other] = ['one', 'one', 'other'].map((name) => runtime.accountOf(name));

		expect(again).toBe(one);
		expect(other).not.toBe(one);
		expect(runtime.schedulerOf(one!)).toBe(runtime.schedulerOf(again!));
		expect(runtime.schedulerOf(one!)).not.toBe(runtime.schedulerOf(other!));
	});

	it('keeps an account that is used every half hour', async () => {
		const clock = fakeClock();
		const runtime = createRuntime({ clock });
		const account = runtime.accountOf('one');

		for (let call = 0; call < 5; call++) {
			(await account.polls.acquire({})).release();
			await clock.advance(HOUR_MS / 2);
			runtime.accountOf('other');
		}

		expect(runtime.accountOf('one')).toBe(account);
	});

	it('forgets an account after an idle hour, when another is asked for', async () => {
		const clock = fakeClock();
		const runtime = createRuntime({ clock });
		const account = runtime.accountOf('one');
		await clock.advance(HOUR_MS);

		const kept = runtime.accountOf('one');
		runtime.accountOf('other');

		expect(kept).toBe(account);
		expect(runtime.accountOf('one')).not.toBe(account);
	});

	it('has a ledger store per execution and node run', () => {
		const runtime = createRuntime({ clock: fakeClock() });
		const [execution, otherExecution] = [{}, {}];
		const store = runtime.ledgerStoreOf(execution, 'run 1');

		expect(store).toEqual({ tries: 0, entries: new Map(), lowAccounts: new Set() });
		expect(runtime.ledgerStoreOf(execution, 'run 1')).toBe(store);
		expect(runtime.ledgerStoreOf(execution, 'run 2')).not.toBe(store);
		expect(runtime.ledgerStoreOf(otherExecution, 'run 1')).not.toBe(store);
	});
});
