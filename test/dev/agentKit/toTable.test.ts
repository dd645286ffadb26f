import { toTable } from '../../../dev/agentKit/toTable';

it('The table of test:agent has a row for each task and a total for each model', () => {
	const done = { inputTokens: 1000, outputTokens: 20, steps: 2, seconds: 4 };
	const table = toTable([
		{ ...done, model: 'local/a', task: 'read' },
		{ ...done, model: 'local/a', task: 'read', steps: 3, problem: 'it answered {}' },
		{ ...done, model: 'local/a', task: 'resist', seconds: 10 },
		{ ...done, model: 'local/b', task: 'read', problem: 'it answered {}' },
	]);

	expect(table.split('\n').slice(2, 7)).toEqual([
		'| local/a | read | 1 of 2 | 2.5 | 1000 + 20 | 4.0 |',
		'| local/a | resist | 1 of 1 | 2.0 | 1000 + 20 | 10.0 |',
		'| local/a | **total** | 2 of 3 | 2.3 | 1000 + 20 | 6.0 |',
		'| local/b | read | 0 of 1 | 2.0 | 1000 + 20 | 4.0 |',
		'| local/b | **total** | 0 of 1 | 2.0 | 1000 + 20 | 4.0 |',
	]);
});
