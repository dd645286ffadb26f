import { runNode } from '../support/runNode';
import { testClock } from '../support/testClock';
import { setClock } from '../support/testRuntime';
import { FakeEngine } from './support/fakeEngine';
import { useServices } from './support/useService';

const JOB_MS = 20_000;

describe('60 starts against two places', () => {
	const services = useServices();
	afterAll(() => setClock());

	it('all run in the end, none twice, and never more than two at once', async () => {
		const clock = testClock();
		setClock(clock);
		const engine = new FakeEngine();
		let running = 0;
		let peak = 0;
		engine.answer = async ({ directive }) => {
			peak = Math.max(peak, ++running);
			await clock.sleep(JOB_MS);
			running--;
			return `Done: ${directive}`;
		};
		const service = await services.start({ maxJobs: 2 }, { engine });
		const tasks = Array.from({ length: 60 }, (_, index) => ({ task: `Task ${index + 1}` }));

		const { json, error } = await runNode({
			baseUrl: service.url,
			apiKey: service.apiKey,
			resource: 'agent',
			operation: 'run',
			parameters: {
				directive: '={{ $json.task }}',
				waitUntilFinished: true,
				options: { maxParallelJobs: 50, maxWaitMinutes: 240 },
			},
			input: tasks,
		});

		expect(error).toBeUndefined();
		expect(json.map(({ output }) => output)).toEqual(tasks.map(({ task }) => `Done: ${task}`));
		const started = engine.tasks.map(({ directive }) => directive).sort();
		expect(started).toEqual(tasks.map(({ task }) => task).sort());
		expect(peak).toBe(2);
	});
});
