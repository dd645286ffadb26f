import { createNode } from '../../../dev/engine/engine';
import { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import type { Run } from '../../../nodes/BrowserAgent/Run';
import { toErrorItem, toOutput } from '../../../nodes/BrowserAgent/toOutput';
import { NodeFailure } from '../../../nodes/errors/NodeFailure';
import type { MemoryEntry } from '../../../nodes/jobs/JobMemory';
import { TrackedJob } from '../../../nodes/jobs/TrackedJob';

const clock = new SimulatedClock();

const CONTEXT = {
	node: createNode('Browser Agent', 'browserAgent'),
	redact: (text: string) => text,
	logger: { error: () => {} },
};

it('toOutput redacts each distinct status of a batch once', () => {
	const redact = jest.fn((text: string) => text.replace('key-1', '[hidden]'));
	const showHint = jest.fn();
	const statuses = ['running', 'key-1', 'running', '<key-1>', 'running'];
	const items = statuses.map((status, index) => ({
		index,
		entry: { jobs: [{ record: { job_id: `job_${index}`, status, seenAt: 1 } }] },
	}));

	toOutput({ items, redact, showHint } as unknown as Run);

	expect(redact).toHaveBeenCalledTimes(3);
	expect(showHint).toHaveBeenCalledWith('5 jobs: 3 running, 1 [hidden], 1 ‹[hidden]›.');
});

describe('toErrorItem', () => {
	it('has no field without a value, which the editor would show as "undefined"', () => {
		const jobs = [
			new TrackedJob(clock, { state: 'ended', job_id: 'job_1', credits_used: 5 }),
			new TrackedJob(clock, { state: 'ended', job_id: 'job_2' }),
		];

		const { json } = toErrorItem(new NodeFailure('Job job_2 failed'), CONTEXT, {
			index: 0,
			entry: { jobs } as MemoryEntry,
		});

		expect(json).toStrictEqual({
			error: 'Job job_2 failed',
			details: {
				job_id: 'job_2',
				previous_jobs: [{ job_id: 'job_1', credits_used: 5 }],
				description: 'Earlier failed jobs of this item: job_1.',
			},
		});
	});

	it('has the description in the message only for a tool', () => {
		const error = new NodeFailure('Job job_1 failed', { jobIds: ['job_1'], description: 'Look.' });

		const { json } = toErrorItem(error, { ...CONTEXT, isTool: true }, { index: 0 });

		expect(json).toEqual({ error: 'Job job_1 failed. Look.', details: { job_id: 'job_1' } });
	});

	it.each([
		['the only job that the error is about', ['job_1'], { job_id: 'job_1' }],
		['none of several jobs', ['job_1', 'job_2'], undefined],
		['no job', undefined, undefined],
	])('names %s when nothing else is known', (_label, jobIds, details) => {
		const item = toErrorItem(new NodeFailure('Too late', { jobIds }), CONTEXT, { index: 0 });

		expect(item.json.details).toEqual(details);
	});
});
