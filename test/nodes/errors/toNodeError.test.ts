import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { BaseUrlError } from '../../../nodes/service/baseUrl';
import { UserError, stopped, withMore } from '../../../nodes/errors/UserError';
import { ServiceError } from '../../../nodes/errors/ServiceError';
import { toNodeError, toUserError } from '../../../nodes/errors/toNodeError';
import { useSandbox } from '../../support/useSandbox';

const node: INode = {
	id: 'node-1',
	name: 'Browser Agent',
	type: 'n8n-nodes-browser-agent.browserAgent',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

describe('what the user reads', () => {
	it('is what happened and what to do about it, tied to node and item', () => {
		const problem = new UserError("'Width' is empty", { description: "Fill in 'Width'." });

		const error = toNodeError(problem, { node, itemIndex: 2 });

		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error.message).toBe("'Width' is empty");
		expect(error.description).toBe("Fill in 'Width'.");
		expect(error.node).toBe(node);
		expect(error.context.itemIndex).toBe(2);
	});

	it('has no item when it is about the whole node', () => {
		const error = toNodeError(new UserError('No address'), { node });

		expect(error.context.itemIndex).toBeUndefined();
	});

	it("is an API error with the service's status when the service has said no", () => {
		const refusal = new ServiceError({ kind: 'insufficientCredits', statusCode: 402 });

		const error = toNodeError(refusal, { node, itemIndex: 0 });

		expect(error).toBeInstanceOf(NodeApiError);
		expect((error as NodeApiError).httpCode).toBe('402');
		expect(error.message).toBe('The account has too few credits');
		expect(error.description).toContain('Nothing was started.');
	});

	it.each([
		['with a status of the service', new ServiceError({ kind: 'unauthorized', statusCode: 401 })],
		['without one', new ServiceError({ kind: 'unauthorized' })],
	])("tells n8n's scheduler why it went wrong, %s", (_label, refusal) => {
		const error = toNodeError(refusal, { node });

		expect(error.failure).toEqual({ cause: 'credential-invalid' });
	});

	it.each([401, 402, 403, 404, 408, 422, 429, 500, 502, 503, 504])(
		'keeps its own words where n8n has canned ones for the status %i',
		(statusCode) => {
			const error = toNodeError(
				new ServiceError({ kind: 'rejected', statusCode, detail: 'not today' }),
				{ node },
			);

			expect(error.message).toBe(`The service rejected the request (HTTP ${statusCode})`);
			expect(error.description).toContain('The service says: not today');
		},
	);

	it('has the jobs it is about as data too', () => {
		const error = toNodeError(new ServiceError({ kind: 'timeout' }), { node }, { jobId: 'job_7' });

		expect(error.message).toBe('Job job_7: The service did not respond in time');
		expect(error.context.jobIds).toEqual(['job_7']);
	});

	it('names the field when the address in the credential cannot be used', () => {
		const error = toNodeError(new BaseUrlError("'Base URL' is empty", 'Enter it.'), { node });

		expect(error.message).toBe("'Base URL' is empty");
		expect(error.description).toBe('Enter it.');
	});

	it.each([
		'ECONNREFUSED',
		'ECONNRESET',
		'ENOTFOUND',
		'ETIMEDOUT',
		'ECONNABORTED',
		'ENOENT',
		'EPERM',
		'EEXIST',
		'GETADDRINFO',
	])('keeps its message although it has %s in it', (code) => {
		const message = `Job job_7 failed: the page answered ${code} to the agent`;

		const withoutStatus = toNodeError(new UserError(message), { node });
		const withStatus = toNodeError(new UserError(message, { statusCode: 500 }), { node });

		expect(withoutStatus.message).toBe(message);
		expect(withStatus.message).toBe(message);
	});

	it.each([
		['in the middle', 'Job job_7 failed: order canceled', 'Job job_7 failed: order cancelled'],
		['at the beginning', 'Canceled orders only', 'Cancelled orders only'],
		['several times', 'canceled, then canceled', 'cancelled, then cancelled'],
		['in another word', 'uncanceled', 'uncancelled'],
		['in the other spelling', 'order cancelled', 'order cancelled'],
	])('does not make n8n report a stop because of a word: %s', (_label, message, shown) => {
		expect(toNodeError(new UserError(message), { node }).message).toBe(shown);
	});

	it('is a stop for n8n when the execution was stopped', () => {
		const error = toNodeError(stopped('no job was started'), { node });

		expect(error.message).toBe('Execution canceled: no job was started');
	});

	it('does not say the same twice', () => {
		const error = toNodeError(new UserError('Gone', { description: 'Gone' }), { node });

		expect(error.message).toBe('Gone');
		expect(error.description).toBeUndefined();
	});

	describe('as a tool of a language model, which sees the message only', () => {
		it('has the description in the message', () => {
			const problem = new UserError("'Width' is empty", { description: "Fill in 'Width'." });

			const error = toNodeError(problem, { node, isTool: true });

			expect(error.message).toBe("'Width' is empty. Fill in 'Width'.");
			expect(error.description ?? '').toBe('');
		});

		it('has it there for a refusal of the service too', () => {
			const refusal = new ServiceError({ kind: 'unauthorized', statusCode: 401 });

			const error = toNodeError(refusal, { node, isTool: true });

			expect(error.message).toMatch(
				/^The service did not accept the API key\. Check 'API Key' in the Browser Agent API/,
			);
		});

		it('is the message alone when there is no description', () => {
			const error = toNodeError(new UserError('Gone'), { node, isTool: true });

			expect(error.message).toBe('Gone');
		});
	});

	describe('for an error that is not ours', () => {
		it("is n8n's own error as it is", () => {
			const own = new NodeOperationError(node, 'A field is missing');

			expect(toNodeError(own, { node, itemIndex: 1 })).toBe(own);
		});

		it.each([
			['an error', new TypeError('x is not a function'), 'x is not a function'],
			['a text', 'out of order', 'out of order'],
			['nothing', undefined, 'undefined'],
		])('keeps its message and gets the item: %s', (_label, thrown, message) => {
			const error = toNodeError(thrown, { node, itemIndex: 1 });

			expect(error.message).toBe(message);
			expect(error.context.itemIndex).toBe(1);
			expect(toUserError(thrown)).toBeUndefined();
		});
	});
});

describe('a problem with more jobs', () => {
	it('has a further sentence, and every job once', () => {
		const problem = new UserError('Job job_1 failed', {
			description: 'Look at it.',
			jobIds: ['job_1'],
			statusCode: 500,
		});

		const more = withMore(problem, 'Jobs so far: job_1, job_2.', ['job_1', 'job_2']);

		expect(more.message).toBe('Job job_1 failed');
		expect(more.details).toEqual({
			description: 'Look at it. Jobs so far: job_1, job_2.',
			jobIds: ['job_1', 'job_2'],
			statusCode: 500,
		});
	});

	it('has only the sentence when it had no description', () => {
		const more = withMore(new UserError('Gone'), 'Jobs so far: job_1.', ['job_1']);

		expect(more.details.description).toBe('Jobs so far: job_1.');
	});
});

describe("a job's own reason, in a run on n8n", () => {
	const sandbox = useSandbox({ limits: 'off' });

	it.each([
		['a code that n8n explains in its own words', 'connect ECONNREFUSED 10.0.0.1:443'],
		['a word by which n8n tells a stopped run', 'the order was canceled by the shop'],
	])('changes neither the message nor the status: %s', async (_label, reason) => {
		await sandbox.admin.nextJob({ durationSeconds: 1, outcome: 'failed', error: reason });

		const { error, status } = await sandbox.runAgent();

		const [job] = await sandbox.admin.jobs();
		expect(error?.message).toBe(
			`Job ${job?.job_id} failed: ${reason.replace('canceled', 'cancelled')}`,
		);
		expect(error?.context.jobIds).toEqual([job?.job_id]);
		expect(status).toBe('error');
	});
});
