import { itemLines } from '../../../dev/demo/itemLines';

it('The demo shows the fields of an item, but no links to the sandbox, which are dead when it ends', () => {
	const sandboxUrl = 'http://127.0.0.1:4321';
	const item = {
		job_id: 'job_1',
		output: { headline: 'Welcome' },
		live_url: `${sandboxUrl}/_sandbox/jobs/job_1/live`,
		cdp: [{ url: `${sandboxUrl}/x` }],
		is_finished: true,
	};

	expect(itemLines(item, sandboxUrl)).toEqual([
		'job_id: job_1',
		'output: {"headline":"Welcome"}',
		'is_finished: true',
	]);
});
