import { SimulatedClock } from '../../dev/engine/SimulatedClock';
import { createRuntime } from '../../nodes/runtime';

describe('Runtime', () => {
	it('has one account per name, whose rate limits all executions share', () => {
		const runtime = createRuntime({ clock: new SimulatedClock() });

		const [one, again, other] = ['one', 'one', 'other'].map((id) => runtime.accountOf(id));

		expect(again).toBe(one);
		expect(other).not.toBe(one);
	});

	it('keeps what the polls of the last 1,000 triggers have left', () => {
		const runtime = createRuntime({ clock: new SimulatedClock() });
		for (const key of ['a', 'b']) runtime.pollMemoryOf(key).nextJobId = 'job_1';
		for (let index = 0; index < 998; index++) runtime.pollMemoryOf(`trigger_${index}`);
		runtime.pollMemoryOf('a');

		runtime.pollMemoryOf('new');

		expect(runtime.pollMemoryOf('a').nextJobId).toBe('job_1');
		expect(runtime.pollMemoryOf('b').nextJobId).toBeUndefined();
	});
});
