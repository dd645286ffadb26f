import { NodeOperationError } from 'n8n-workflow';

import { UserError } from '../../../nodes/errors/UserError';
import { toErrorItem } from '../../../nodes/output/errorItem';
import { testNode } from '../../support/runNode';

const PLACE = { node: testNode('Browser Agent', 'browserAgent') };

describe('toErrorItem', () => {
	it('shows the message, and carries the error for the error output', () => {
		const error = new UserError('Job job_1 failed', {
			description: 'Check what the agent did.',
			jobIds: ['job_1'],
		});

		const item = toErrorItem(error, PLACE, 3);

		expect(item).toEqual({
			json: { error: 'Job job_1 failed' },
			error: expect.any(NodeOperationError),
			pairedItem: { item: 3 },
		});
		expect(item.error).toMatchObject({
			message: 'Job job_1 failed',
			description: 'Check what the agent did.',
			context: { itemIndex: 3, jobIds: ['job_1'] },
		});
	});

	it('names its own item, whatever the error says', () => {
		const item = toErrorItem(new UserError('Too late', { itemIndex: 7 }), PLACE, 0);

		expect(item.error?.context.itemIndex).toBe(0);
		expect(item.pairedItem).toEqual({ item: 0 });
	});

	it('shows the message as it is made safe', () => {
		const place = { ...PLACE, redact: (text: string) => text.replace('secret', '[hidden]') };

		const item = toErrorItem(new UserError('<b>secret</b>'), place, 0);

		expect(item.json).toEqual({ error: '‹b›[hidden]‹/b›' });
	});
});
