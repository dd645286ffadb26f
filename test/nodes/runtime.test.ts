import { createRuntime } from '../../nodes/runtime';
import { fakeClock } from '../support/fakeClock';

describe('Runtime', () => {
	it('has one account per name, whose rate limits all executions share', () => {
		const runtime = createRuntime({ clock: fakeClock() });

		const [one, again, other] = ['one', 'one', 'other'].map((name) => runtime.accountOf(name));

		expect(again).toBe(one);
		expect(other).not.toBe(one);
	});
});
