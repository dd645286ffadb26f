import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { JobFailure } from '../../local-service/JobFailure';
import { fillIn, readWorkflow, WorkflowError } from '../../local-service/workflows';
import { useTemporaryFolder } from './support/temporaryData';

const INVOICE = {
	directive: 'Download the invoice of {{vendor}} for {{ month }}',
	inputs: [
		{ name: 'vendor', description: 'Name of the vendor', required: true },
		{ name: 'month' },
	],
};

describe('a saved workflow', () => {
	const temporaryFolder = useTemporaryFolder();

	function read(content: unknown, id = 'invoice') {
		const folder = temporaryFolder();
		const text = typeof content === 'string' ? content : JSON.stringify(content);
		writeFileSync(path.join(folder, 'invoice.json'), text);
		return readWorkflow(folder, id);
	}

	it('is read from the file with its ID', () => {
		expect(read({ ...INVOICE, initial_url: 'https://shop.example' })).toEqual({
			...INVOICE,
			initialUrl: 'https://shop.example',
		});
	});

	it.each(['other', '..', '../invoice', '.invoice', 'invoice.json/..', '', 'a/b', 'x'.repeat(200)])(
		'is not found by the ID %j',
		(id) => {
			expect(read(INVOICE, id)).toBeUndefined();
		},
	);

	it.each([
		['{', /^The file 'workflows\/invoice.json' is no workflow: .*JSON/],
		[{}, "'directive': Required"],
		[{ directive: ' ' }, "'directive': must not be blank"],
		[{ directive: 'x', url: 'y' }, 'Unrecognized key'],
		[{ directive: 'x', inputs: [{ name: 'a b' }] }, "'inputs.0.name': must have letters"],
		[{ directive: 'x', inputs: [{ name: 'a' }, { name: 'a' }] }, "'a' is declared twice"],
		[{ directive: '{{vendor}}' }, "the directive has '{{vendor}}', but there is no such input"],
		[[], 'is no workflow'],
	])('is refused with its name when its file has %j', (content, sentence) => {
		expect(() => read(content)).toThrow(WorkflowError);
		expect(() => read(content)).toThrow(sentence);
	});

	it('is refused when its file is a folder', () => {
		const folder = temporaryFolder();
		mkdirSync(path.join(folder, 'invoice.json'));
		expect(() => readWorkflow(folder, 'invoice')).toThrow(WorkflowError);
	});

	describe('is filled in', () => {
		const noMapping = async () => await Promise.reject(new Error('nothing is to be mapped'));
		const fill = async (payload: string, mapText: Parameters<typeof fillIn>[2] = noMapping) =>
			await fillIn(INVOICE, payload, mapText);

		it.each([
			['{"vendor": "Acme", "month": "May"}', 'Download the invoice of Acme for May'],
			[' {"vendor": "Acme", "other": 1}\n', 'Download the invoice of Acme for '],
			['{"vendor": 7, "month": {"a": [1]}}', 'Download the invoice of 7 for {"a":[1]}'],
			[
				'{"vendor": "{{month}} $& $1", "month": "May"}',
				'Download the invoice of {{month}} $& $1 for May',
			],
		])('by name from the object %s', async (payload, directive) => {
			expect(await fill(payload)).toBe(directive);
		});

		it.each(['Acme in May', '"Acme in May"', '["Acme", "May"]', '12'])(
			'from the text %s as the model maps it',
			async (payload) => {
				const mapText = jest.fn(async () => ({ vendor: 'Acme', month: 'May' }));
				expect(await fill(payload, mapText)).toBe('Download the invoice of Acme for May');
				expect(mapText).toHaveBeenCalledWith(INVOICE.inputs, payload);
			},
		);

		it.each([
			'{}',
			'{"month": "May"}',
			'{"vendor": ""}',
			'{"vendor": null}',
			'',
			'{"__proto__": 1}',
		])('never without a required input: %j', async (payload) => {
			const filled = fill(payload);
			await expect(filled).rejects.toThrow(JobFailure);
			await expect(filled).rejects.toThrow("no value for the required input 'vendor'");
		});

		it('never with a value that is nested without end', async () => {
			const filled = fill(`{"vendor": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
			await expect(filled).rejects.toThrow(JobFailure);
			await expect(filled).rejects.toThrow("The value of the input 'vendor' is nested too deeply");
		});

		it('without a payload when it has no inputs', async () => {
			const workflow = { directive: 'Write the report', inputs: [] };
			expect(await fillIn(workflow, '', noMapping)).toBe('Write the report');
			expect(await fillIn(workflow, 'whatever', noMapping)).toBe('Write the report');
		});
	});
});
