import { itemLines } from '../../../dev/demo/itemLines';

it('The demo leaves out links to the sandbox, which stops with it', () => {
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
