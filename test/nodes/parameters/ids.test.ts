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
		['another address', 'https://api.example.com/v1/jobs/job_1'],
		['an address that ends before the ID', 'https://api.example.com/v1/get_job_status/'],
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

	it.each([[undefined], [null], [''], [' ']])('rejects %p as empty', (value) => {
		expect(() => field.read(value)).toThrow(`'${name}' is empty`);
	});
});

describe("'Job ID'", () => {
	it.each([
		['https://api.example.com/v1/get_job_status/job_1', 'job_1'],
		[' http://localhost:3000/base/v1/get_job_status/run%3A1/?key=x#y\n', 'run:1'],
	])('takes the address of a job for its ID: %p', (address, id) => {
		expect(jobIdField.read(address)).toBe(id);
	});

	it('rejects an address whose ID has a slash', () => {
		const address = 'https://api.example.com/v1/get_job_status/..%2Fadmin';

		expect(() => jobIdField.read(address)).toThrow("'Job ID' is not a valid ID");
	});
});
