import './withOlderN8n';

import { useSandbox } from '../../../support/useSandbox';

const service = useSandbox({ limits: 'off' });

it('A wait stays in the process, and says so, on an n8n that cannot suspend executions', async () => {
	await service.admin.nextJob({ durationSeconds: 150, output: 'a long story' });

	const { engine, finished } = service.suspendAgent();

	const { items, task } = await finished;
	expect(items[0]?.json.output).toBe('a long story');
	expect(engine.subWorkflows).toBe(0);
	expect(task?.hints?.map(({ message }) => message)).toContainEqual(
		expect.stringContaining('needs a saved workflow and n8n 2.41 or newer'),
	);
});
