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
});
