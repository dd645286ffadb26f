import { useSandbox } from '../../support/useSandbox';

const MAX_FRAMES = 12;
const DEFAULT_LIMIT = Error.stackTraceLimit;

/** The files of the nodes on a stack, in the order of the calls. */
function filesOn(stack: string): string[] {
	const files = [...stack.matchAll(/\/nodes\/([\w/]+)\.ts:/g)].map(([, file = '']) => file);
	return files.reverse();
}

function withoutRepeats(files: string[]): string[] {
	return files.filter((file, index) => file !== files[index - 1]);
}

describe('Agent: Run, from execute to the HTTP request', () => {
	const service = useSandbox();

	beforeAll(() => (Error.stackTraceLimit = 100));
	afterAll(() => (Error.stackTraceLimit = DEFAULT_LIMIT));

	it('takes 12 calls at most, and enters no file twice', async () => {
		const stacks: string[] = [];
		const onRequest = () => void stacks.push(new Error().stack ?? '');

		await service.run({
			resource: 'agent',
			operation: 'run',
			parameters: { directive: 'Find the price' },
			onRequest,
		});

		const frames = filesOn(stacks[0] ?? '');
		expect(frames.length).toBeLessThanOrEqual(MAX_FRAMES);
		expect(withoutRepeats(frames)).toEqual([
			'BrowserAgent/execute',
			'BrowserAgent/runItems',
			'async/limitConcurrency',
			'BrowserAgent/runItem',
			'BrowserAgent/operations/runAttempts',
			'jobs/startJob',
			'service/ServiceClient',
			'service/HttpClient',
		]);
	});
});
