import { createRuntime } from '../../nodes/runtime';
import { fakeClock } from '../support/fakeClock';

describe('Runtime', () => {
	it('has one account per name, and one scheduler per account', () => {
		const runtime = createRuntime({ clock: fakeClock() });

		const [one, again, other] = ['one', 'one', 'other'].map((name) => runtime.accountOf(name));

		expect(again).toBe(one);
		expect(other).not.toBe(one);
		expect(runtime.schedulerOf(one!)).toBe(runtime.schedulerOf(again!));
		expect(runtime.schedulerOf(one!)).not.toBe(runtime.schedulerOf(other!));
	});

	it('has a ledger store per execution and node run', () => {
		const runtime = createRuntime({ clock: fakeClock() });
		const [execution, otherExecution] = [{}, {}];
		const store = runtime.ledgerStoreOf(execution, 'run 1');

		expect(runtime.ledgerStoreOf(execution, 'run 1')).toBe(store);
		expect(runtime.ledgerStoreOf(execution, 'run 2')).not.toBe(store);
		expect(runtime.ledgerStoreOf(otherExecution, 'run 1')).not.toBe(store);
	});
});
