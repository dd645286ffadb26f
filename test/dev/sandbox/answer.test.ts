import { toInstructions } from '../../../nodes/structuredOutput/readSchema';
import { setUpSandbox } from './setUpSandbox';

const TASK = 'Find an example of a lamp.\nFor example:\n- a desk lamp';

describe('Answer of the sandbox', () => {
	const sandbox = setUpSandbox();

	it('has the form of the example that the directive ends with, and other values', async () => {
		const lamp = {
			name: 'Desk lamp',
			price: 19.9,
			shops: ['https://a.example/lamp'],
			isNew: true,
			rating: null,
		};
		const example = JSON.stringify(lamp, null, '\t');
		const directive = TASK + toInstructions({ schema: '{}', example });
		const jobId = await sandbox.startJob({}, { directive });
		await sandbox.admin.advance(10);

		const { output } = await sandbox.poll(jobId);

		expect(output).toEqual({
			name: 'Desk lamp (simulated)',
			price: 20.9,
			shops: ['https://a.example/simulated'],
			isNew: true,
			rating: null,
		});
	});
});
