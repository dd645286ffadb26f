import { createClock, setClock } from '../../../nodes/jobs/clock';
import { useSandbox } from '../../support/useSandbox';
import { toResult, workflowOf } from '../../support/runNode';
import { StoringEngine } from '../../support/StoringEngine';

const SCALE = 300;
const service = useSandbox({ timeScale: SCALE });

beforeEach(() => setClock(createClock(SCALE)));

it('works', async () => {
	await service.admin.nextJob({ durationSeconds: 200, output: 'hi' });
	const { workflow, parts, first } = workflowOf({
		baseUrl: service.url,
		resource: 'agent',
		operation: 'run',
		parameters: { directive: 'x', options: { durableWait: true } },
	});
	const engine = new StoringEngine(parts);
	const result = await toResult(engine.run(workflow as never, first));
	console.log(
		JSON.stringify(result.task?.hints),
		'WAIT_FOR_SUB_EXECUTION' in require('n8n-workflow'),
		JSON.stringify(result.items),
		result.error,
		result.status,
		engine.waits,
		engine.written.map((w) => w.length),
	);
});
