import { createRuntime } from '../../nodes/runtime';
import { SimulatedClock } from '../../dev/engine/SimulatedClock';

describe('Runtime', () => {
	it('has one account per name, whose rate limits all executions share', () => {
		const runtime = createRuntime({ clock: new SimulatedClock() });

		const [one, again, other] = ['one', 'one', 'other'].map((name) => runtime.accountOf(name));

		expect(again).toBe(one);
		expect(other).not.toBe(one);
	});
});
