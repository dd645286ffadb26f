import {
	jobIdField,
	jobIdsField,
	readJobIds,
	workflowIdField,
} from '../../../nodes/parameters/ids';

const FIELD = 'Job IDs';
const jobIdsIn = (list: unknown) => readJobIds(list, FIELD);

describe("'Job ID'", () => {
	it.each<[unknown, string]>([
		[' job_1\n', 'job_1'],
		[12345, '12345'],
		[['job_1'], 'job_1'],
		['["job_1"]', 'job_1'],
		['job_1\u200b', 'job_1'],
		['"job_1"', 'job_1'],
		[['job_1', '', 'job_1'], 'job_1'],
	])('takes %p', (value, id) => {
		expect(jobIdField.read(value)).toBe(id);
	});

	it.each<[unknown, string]>([
		['a/b', 'is not a valid ID'],
		[{ job_id: 'a/b' }, 'is not a valid ID'],
		[{ jobId: 'job_1' }, "has no 'job_id', only 'jobId'"],
		['{"id": "job_1"}', "has no 'job_id', only 'id'"],
		[{ job_id: null }, 'is empty'],
		[{}, 'is empty'],
		['job_1,job_2', 'contains several IDs'],
		[['job_1', 'job_2'], 'contains several IDs'],
		[undefined, 'is empty'],
		[' ', 'is empty'],
		[[], 'is empty'],
		['[object Object]', 'contains "[object Object]"'],
		['https://live.example.com/job_1', 'is a URL, not an ID'],
		['https://api.example.com/v1/get_job_status/..%2Fadmin', 'is a URL, not an ID'],
	])('rejects %p, which %s', (value, problem) => {
		expect(() => jobIdField.read(value)).toThrow(`'Job ID' ${problem}`);
	});

	it.each([
		['https://api.example.com/v1/get_job_status/job_1', 'job_1'],
		[' http://localhost:3000/base/v1/get_job_status/run%3A1/?key=x#y\n', 'run:1'],
	])('takes the URL of a status check for the ID of its job: %p', (address, id) => {
		expect(jobIdField.read(address)).toBe(id);
	});
});

describe('An object with job_id', () => {
	it.each<[string, unknown]>([
		['itself', { job_id: 'job_1', status: 'running' }],
		['in an array', [{ job_id: 'job_1' }]],
		['as JSON text', ' { "job_id": "job_1",\n "status": "running" }\n'],
		['as JSON text of an array', '[{"job_id": "job_1"}]'],
		['as JSON text in an array', ['{"job_id": "job_1"}']],
		['with the address of the job', { job_id: 'https://a.example/v1/get_job_status/job_1' }],
	])('counts as its ID in every field for job IDs: %s', (_label, value) => {
		expect(jobIdField.read(value)).toBe('job_1');
		expect(jobIdsField.read(value)).toEqual(['job_1']);
		expect(jobIdsIn(value)).toEqual(['job_1']);
	});

	it.each<[unknown, string]>([
		[{ job_id: 'job_1' }, 'is not a valid ID'],
		['{"job_id":"job_1"}', 'is not a valid ID'],
		['https://a.example/v1/get_job_status/job_1', 'is a URL, not an ID'],
		[['wf_1', 'wf_2'], 'contains several IDs'],
		[{}, 'is empty'],
	])('is no workflow ID: %p', (value, problem) => {
		expect(() => workflowIdField.read(value)).toThrow(`'Workflow ID' ${problem}`);
	});
});

describe("'Workflow ID'", () => {
	it.each<[unknown, string]>([
		[' "wf_1"\n', 'wf_1'],
		[7, '7'],
		[['wf_1'], 'wf_1'],
	])('takes %p', (value, id) => {
		expect(workflowIdField.read(value)).toBe(id);
	});
});

describe('readJobIds', () => {
	it('rejects text that objects have become', () => {
		expect(() => readJobIds('[object Object],[object Object]', FIELD)).toThrow(
			'\'Job IDs\' contains "[object Object]"',
		);
	});

	it.each<[string, unknown[], string[]]>([
		['IDs with space around them', [' job_1\n'], ['job_1']],
		['the address of a job', ['https://api.example.com/v1/get_job_status/job_1'], ['job_1']],
		['objects with job_id', [{ job_id: 'job_1', id: 5 }, { job_id: 2 }], ['job_1', '2']],
		['an object whose own job_id is skipped', [{ job_id: null, id: 'job_2' }], []],
		[
			'IDs with quotation marks and invisible characters',
			['"job_1"', 'job_2\u200b'],
			['job_1', 'job_2'],
		],
		['each job once, in order', ['b', 'a', { job_id: 'b' }, ' a'], ['b', 'a']],
	])('returns %s', (_label, list, jobIds) => {
		expect(jobIdsIn(list)).toEqual(jobIds);
	});

	it.each<[string, unknown]>([
		['white space', ' \t'],
		['an empty object', {}],
		['an object whose job_id is blank', { job_id: ' ' }],
	])('skips %s', (_label, entry) => {
		expect(jobIdsIn(['job_1', entry, 'job_3'])).toEqual(['job_1', 'job_3']);
	});

	it.each<[string, unknown]>([
		['a slash', 'a/b'],
		['a job_id with a slash', { job_id: '../v1' }],
	])('rejects %s, and says which entry it is', (_label, entry) => {
		expect(() => jobIdsIn(['job_1', entry])).toThrow(
			expect.objectContaining({
				message: "'Job IDs': entry 2 is not a job ID",
				details: {
					description: `Job IDs are expected, or objects with 'job_id', e.g. ["job_1", {"job_id": "job_2"}].`,
					failure: { cause: 'configuration-invalid' },
				},
			}),
		);
	});

	it.each<[string, object, string]>([
		['in camel case', { jobId: 'job_2' }, "'jobId'"],
		["in n8n's json", { json: { job_id: 'job_2' }, pairedItem: 0 }, "'json', 'pairedItem'"],
		['under a name with markup', { '<b>\n': 1 }, "'‹b›'"],
		['in one of many fields', { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, "'a', 'b', 'c', 'd', 'e', …"],
	])('rejects an object with the ID %s, and names its fields', (_label, entry, fields) => {
		expect(() => jobIdsIn(['job_1', entry])).toThrow(
			`'Job IDs': entry 2 has no 'job_id', only ${fields}`,
		);
	});

	const manyIds = (length: number) => Array.from({ length }, (_, index) => `job_${index}`);

	it.each<[string, unknown]>([
		['an array', manyIds(10_000)],
		['text with separators around it', ` ${manyIds(10_000).join('\n')}\n`],
	])('accepts 10,000 jobs in %s', (_label, value) => {
		expect(jobIdsIn(value)).toHaveLength(10_000);
	});

	it.each<[string, unknown]>([
		['10,001 jobs in text that begins with a separator', ` ${manyIds(10_001).join(' ')} `],
		['10,001 entries, one of which is no job ID', ['a/b', ...manyIds(10_000)]],
		['a million jobs as JSON', JSON.stringify(Array(1_000_000).fill('j'))],
	])('rejects %s before it reads them', (_label, value) => {
		expect(() => jobIdsIn(value)).toThrow("'Job IDs' contains more than 10000 jobs");
	});
});
