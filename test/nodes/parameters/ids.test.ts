import { jobIdField, workflowIdField } from '../../../nodes/parameters/ids';

describe.each([
	['Job ID', jobIdField],
	['Workflow ID', workflowIdField],
])("'%s'", (name, field) => {
	it.each<[unknown, string]>([
		['job_1', 'job_1'],
		[' job_1\n', 'job_1'],
		[12345, '12345'],
		['a?b=c#d', 'a?b=c#d'],
	])('takes %p', (value, id) => {
		expect(field.read(value)).toBe(id);
	});

	it.each<[string, unknown]>([
		['a slash', 'a/b'],
		['an object', { job_id: 'job_1' }],
		['an array', ['job_1']],
	])('rejects %s', (_label, value) => {
		expect(() => field.read(value)).toThrow(
			expect.objectContaining({
				message: `'${name}' is not a valid ID`,
				details: {
					description: `An ID contains no spaces or slashes. Check the value of '${name}' for this item.`,
				},
			}),
		);
	});

	it.each([[undefined], [null], [''], [' '], [[]], [{}]])('rejects %p as empty', (value) => {
		expect(() => field.read(value)).toThrow(`'${name}' is empty`);
	});

	it('rejects text that an object has become', () => {
		expect(() => field.read('[object Object]')).toThrow(`'${name}' contains "[object Object]"`);
	});
});

describe("'Job ID'", () => {
	it.each([
		['https://api.example.com/v1/get_job_status/job_1', 'job_1'],
		[' http://localhost:3000/base/v1/get_job_status/run%3A1/?key=x#y\n', 'run:1'],
	])('takes the URL of a status check for the ID of its job: %p', (address, id) => {
		expect(jobIdField.read(address)).toBe(id);
	});

	it.each([
		['a live link', 'https://live.example.com/job_1'],
		['a URL that ends before the ID', 'https://api.example.com/v1/get_job_status/'],
		['a URL whose ID has a slash', 'https://api.example.com/v1/get_job_status/..%2Fadmin'],
		['a URL with a comma', ' https://live.example.com/job_1,job_2'],
	])('rejects %s as a URL', (_label, value) => {
		expect(() => jobIdField.read(value)).toThrow(
			expect.objectContaining({
				message: "'Job ID' is a URL, not an ID",
				details: { description: "Enter the job's job_id, not its live_url or history_url." },
			}),
		);
	});

	it.each<[string, unknown]>([
		['commas', 'job_1,job_2'],
		['spaces', 'job_1 job_2'],
		['new lines', 'job_1,\njob_2\n'],
		['an array', ['job_1', 'job_2']],
		['the text of an array', '["job_1", "job_2"]'],
	])('rejects several IDs in %s', (_label, value) => {
		expect(() => jobIdField.read(value)).toThrow(
			expect.objectContaining({
				message: "'Job ID' contains several IDs",
				details: {
					description:
						'This operation takes one ID per item. To use several IDs, use Job: Wait, or pass one item per ID.',
				},
			}),
		);
	});
});
