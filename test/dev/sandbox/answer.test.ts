import { toInstructions } from '../../../nodes/structuredOutput/readSchema';
import { setUpSandbox } from './setUpSandbox';

const TASK = 'Find an example of a lamp.\nFor example:\n- a desk lamp';
const EXAMPLE = { name: 'Desk lamp', price: 19.9 };
const SENTENCE = `I opened https://example.com/ and completed the task: ${TASK}`;

describe('Answer of the sandbox', () => {
	const sandbox = setUpSandbox();

	async function answerTo(directive: string): Promise<unknown> {
		const jobId = await sandbox.startJob({}, { directive });
		await sandbox.admin.advance(10);
		return (await sandbox.poll(jobId)).output;
	}

	it('has the form of the example that the directive ends with, and other values', async () => {
		const lamp = { ...EXAMPLE, shops: ['https://a.example/lamp'], isNew: true, rating: null };
		const example = JSON.stringify(lamp, null, '\t');

		expect(await answerTo(TASK + toInstructions({ schema: '{}', example }))).toEqual({
			name: 'Desk lamp (simulated)',
			price: 20.9,
			shops: ['https://a.example/simulated'],
			isNew: true,
			rating: null,
		});
	});

	it.each<[string, object, unknown]>([
		['the first of its own', { examples: [EXAMPLE, {}] }, EXAMPLE],
		[
			'those of its properties',
			{ properties: { name: { examples: ['Lamp'] }, price: { type: 'number' } } },
			{ name: 'Lamp' },
		],
		['as JSON text, where it is text', { examples: ['a lamp'] }, '"a lamp"'],
	])('is the example that the schema has: %s', async (_label, schema, expected) => {
		const directive = TASK + toInstructions({ schema: JSON.stringify(schema) });

		expect(await answerTo(directive)).toEqual(expected);
	});

	it('is a sentence where the directive asks for no form', async () => {
		expect(await answerTo(TASK)).toBe(SENTENCE);
	});
});
