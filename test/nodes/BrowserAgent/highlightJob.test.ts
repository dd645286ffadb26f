import type { IExecuteFunctions } from 'n8n-workflow';

import { highlightJob } from '../../../nodes/BrowserAgent/highlightJob';
import { captureLogger } from '../../support/captureLogger';

const MAX_CHARACTERS = 255;
/** The highlighted data of an execution, with n8n's limit of ten keys. */
function setUp(known: Record<string, string> = {}) {
	const data = new Map(Object.entries(known));
	const customData = {
		get: (key: string) => data.get(key),
		set: (key: string, value: string) => {
			if (data.has(key) || data.size < 10) data.set(key, value);
		},
	};
	const context = { customData } as unknown as IExecuteFunctions;
	return { data, run: { context, logger: captureLogger().logger } };
}

/** Keys that other nodes have used. */
function otherKeys(count: number): Record<string, string> {
	const keys = Array.from({ length: count }, (_, index) => [`key_${index}`, 'theirs']);
	return Object.fromEntries(keys) as Record<string, string>;
}

describe('highlightJob', () => {
	it('names every job that fits, and cuts none', () => {
		const { data, run } = setUp();
		const jobIds = Array.from({ length: 100 }, (_, index) => `job_${index}`);

		for (const jobId of jobIds) highlightJob(run, jobId);

		expect([...data.values()].join().split(',')).toEqual(jobIds);
		for (const value of data.values()) expect(value.length).toBeLessThanOrEqual(MAX_CHARACTERS);
	});

	it.each([
		['all ten keys are full', {}, 10],
		['other nodes have used some keys', { key_1: 'theirs', key_2: 'theirs' }, 8],
		['other nodes have left one key', otherKeys(9), 1],
	])('lets the oldest ID give way when %s', (_label, known, keys) => {
		const { data, run } = setUp(known);
		// Of different lengths, so that a value has room for some and not for others.
		const jobIds = Array.from(
			{ length: 500 },
			(_, index) => `job_${'x'.repeat(index % 30)}${index}`,
		);

		for (const jobId of jobIds) highlightJob(run, jobId);

		const values = [...data]
			.filter(([key]) => key.startsWith('browser_agent'))
			.map(([, value]) => value);
		const shown = values.join().split(',');
		expect(values).toHaveLength(keys);
		expect(shown).toEqual(jobIds.slice(-shown.length));
		// Less than one more ID would fit into each.
		for (const value of values.slice(0, -1))
			expect(value.length).toBeGreaterThan(MAX_CHARACTERS - 38);
		for (const value of values) expect(value.length).toBeLessThanOrEqual(MAX_CHARACTERS);
		expect(Object.fromEntries(data)).toMatchObject(known);
	});

	it('writes nothing and throws nothing when other nodes have used all keys', () => {
		const { data, run } = setUp(otherKeys(10));

		highlightJob(run, 'job_1');

		expect([...data.values()]).toEqual(Array(10).fill('theirs'));
	});

	it('does nothing on an n8n without highlighted data', () => {
		const run = { context: {} as IExecuteFunctions, logger: captureLogger().logger };

		expect(() => highlightJob(run, 'job_1')).not.toThrow();
	});
});
