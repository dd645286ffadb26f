import { Validator } from '@cfworker/json-schema';

import { toInstructions } from '../../../nodes/structuredOutput/readSchema';
import { setUpSandbox } from './setUpSandbox';

const TASK = 'Find an example of a lamp.\nFor example:\n- a desk lamp';
const EXAMPLE = { name: 'Desk lamp', price: 19.9 };

describe('Answer of the sandbox', () => {
	const sandbox = setUpSandbox();

	async function answerTo(directive: string): Promise<{ jobId: string; output: unknown }> {
		const jobId = await sandbox.startJob({}, { directive });
		await sandbox.admin.advance(10);
		return { jobId, output: (await sandbox.poll(jobId)).output };
	}

	it('is the example that the directive ends with', async () => {
		const example = JSON.stringify(EXAMPLE, null, '\t');

		const { output } = await answerTo(TASK + toInstructions({ schema: '{}', example }));

		expect(output).toEqual(EXAMPLE);
	});

	const lamp = {
		properties: { name: { minLength: 2 }, price: { type: 'number', minimum: 1 } },
		required: ['name', 'price'],
	};
	it.each<[string, object]>([
		['an object', { type: 'object', ...lamp }],
		['a list of references', { type: 'array', items: { $ref: '#/$defs/lamp' }, $defs: { lamp } }],
		['a list by position', { prefixItems: [{ type: 'string' }, lamp], items: false, minItems: 2 }],
		['both of two schemas', { allOf: [lamp, { properties: { on: { const: true } } }] }],
		['only a required key', { type: 'object', required: ['price'] }],
	])('matches the schema that the directive ends with: %s', async (_title, schema) => {
		const { jobId, output } = await answerTo(
			TASK + toInstructions({ schema: JSON.stringify(schema) }),
		);

		expect(new Validator(schema, '2020-12').validate(output).errors).toEqual([]);
		expect((await sandbox.poll(jobId)).output).toEqual(output);
	});

	it('is JSON text where the schema asks for text', async () => {
		const { output } = await answerTo(TASK + toInstructions({ schema: '{"const":"a lamp"}' }));

		expect(output).toBe('"a lamp"');
	});

	it('is one of the examples that the schema has', async () => {
		const schema = {
			type: 'object',
			properties: {
				is_broken: { type: 'boolean', examples: [false] },
				problem: { type: 'string', examples: ['The total is missing', 'The page is empty'] },
			},
		};

		const { output } = await answerTo(TASK + toInstructions({ schema: JSON.stringify(schema) }));

		expect(output).toEqual({
			is_broken: false,
			problem: expect.stringMatching(/^The (total is missing|page is empty)$/),
		});
	});

	it('is a sentence where the directive asks for no form', async () => {
		const { output } = await answerTo('Read the news');

		expect(output).toBe('I opened https://example.com/ and completed the task: Read the news');
	});
});
