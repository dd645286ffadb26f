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

describe('highlightJob', () => {
	it('appends to what another node has written', () => {
		const { data, run } = setUp({ browser_agent_jobs: 'job_0' });

		highlightJob(run, 'job_1');

		expect(Object.fromEntries(data)).toEqual({ browser_agent_jobs: 'job_0,job_1' });
	});

	it('names every job that fits, and cuts none', () => {
		const { data, run } = setUp();
		const jobIds = Array.from({ length: 100 }, (_, index) => `job_${index}`);

		for (const jobId of jobIds) highlightJob(run, jobId);

		expect([...data.values()].join().split(',')).toEqual(jobIds);
		for (const value of data.values()) expect(value.length).toBeLessThanOrEqual(MAX_CHARACTERS);
	});

	it('writes nothing and throws nothing when other nodes have used all keys', () => {
		const others = Array.from({ length: 10 }, (_, index) => [`key_${index}`, 'theirs']);
		const { data, run } = setUp(Object.fromEntries(others) as Record<string, string>);

		highlightJob(run, 'job_1');

		expect([...data.values()]).toEqual(Array(10).fill('theirs'));
	});

	it('does nothing on an n8n without highlighted data', () => {
		const run = { context: {} as IExecuteFunctions, logger: captureLogger().logger };

		expect(() => highlightJob(run, 'job_1')).not.toThrow();
	});
});
