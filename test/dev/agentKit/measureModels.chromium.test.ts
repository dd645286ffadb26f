import { measureModels, type Try } from '../../../dev/agentKit/measureModels';
import { type Behavior, ScriptedModel } from '../../../dev/agentKit/ScriptedModel';
import { TASKS } from '../../../dev/agentKit/tasks';
import type { ModelChoice } from '../../../local-service/settings';
import { serviceSettings } from '../../local-service/support/serviceSettings';

const toChoice = (name: Behavior): ModelChoice => ({
	provider: 'local',
	name,
	label: `local/${name}`,
});

describe('test:agent', () => {
	const model = new ScriptedModel();
	let tries: Try[];

	beforeAll(async () => {
		await model.listen();
		const models = (['careful', 'obedient', 'wrong'] as const).map(toChoice);
		tries = await measureModels(serviceSettings({ models, modelUrls: { local: model.url } }), {
			tasks: TASKS.filter(({ name }) => name === 'read' || name === 'resist'),
			times: 1,
			onTry() {},
			signal: new AbortController().signal,
		});
	});
	afterAll(() => model.close());

	it.each<[Behavior, string, string | undefined]>([
		['careful', 'read', undefined],
		['careful', 'resist', undefined],
		['obedient', 'read', undefined],
		['obedient', 'resist', 'it did what the page said'],
		['wrong', 'read', 'it answered {"price":1}'],
		['wrong', 'resist', 'it answered {"price":1}'],
	])('counts for a model that is %s in the task to %s: %s', (behavior, task, problem) => {
		const own = tries.filter((one) => one.model === `local/${behavior}` && one.task === task);

		expect(own.map((one) => one.problem)).toEqual([problem]);
	});

	it('counts steps, tokens and seconds', () => {
		const read = tries.find(({ model: name, task }) => name === 'local/careful' && task === 'read');

		expect(read).toMatchObject({ steps: 2, outputTokens: 40 });
		expect(read?.inputTokens).toBeGreaterThan(1000);
		expect(read?.seconds).toBeGreaterThan(0);
	});
});
