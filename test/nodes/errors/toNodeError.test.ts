import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import {
	NodeFailure,
	stoppedError,
	type NodeFailureDetails,
} from '../../../nodes/errors/NodeFailure';
import { ServiceError } from '../../../nodes/errors/ServiceError';
import { toNodeError } from '../../../nodes/errors/toNodeError';
import { toNodeFailure } from '../../../nodes/errors/toNodeFailure';
import { PACKAGE_NAME } from '../../../nodes/package';

const node: INode = {
	id: 'node-1',
	name: 'Browser Agent',
	type: `${PACKAGE_NAME}.browserAgent`,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const logged: string[] = [];
const CONTEXT = {
	node,
	redact: (text: string) => text.replaceAll('s3cret', '[hidden]'),
	logger: { error: (message: string) => void logged.push(message) },
};

beforeEach(() => void logged.splice(0));

describe('toNodeError', () => {
	it('ties message, description, failure and jobs to node and item', () => {
		const failure = { cause: 'configuration-invalid' as const };
		const described = new NodeFailure("'Width' is empty", {
			description: "Fill in 'Width'.",
			failure,
			jobIds: ['job_1'],
			itemIndex: 2,
		});

		const error = toNodeError(described, CONTEXT);

		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({
			message: "'Width' is empty",
			description: "Fill in 'Width'.",
			failure,
			node,
			context: { itemIndex: 2, jobIds: ['job_1'] },
		});
	});

	it("is an API error with the service's status and the call's job", () => {
		const serviceError = new ServiceError({ kind: 'unauthorized', statusCode: 401 });

		const error = toNodeError(serviceError, CONTEXT, { jobId: 'job_7' });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({
			httpCode: '401',
			context: { jobIds: ['job_7'] },
		});
	});

	it.each([401, 404, 500])(
		"keeps the package's words for status %i instead of n8n's",
		(statusCode) => {
			const { message, description } = toNodeError(
				new ServiceError({ kind: 'rejected', statusCode, detail: 'not today' }),
				CONTEXT,
			);

			expect(message).toBe(`The service did not accept the request (HTTP ${statusCode})`);
			expect(description).toContain('Response: not today');
		},
	);

	it.each([undefined, 500])('keeps a code that n8n would replace, with status %p', (statusCode) => {
		const text = 'Job job_7 failed: the page answered ECONNREFUSED to the agent';

		const { message } = toNodeError(new NodeFailure(text, { statusCode }), CONTEXT);

		expect(message).toBe(text);
	});

	it.each([
		['several times', 'canceled, then canceled', 'cancelled, then cancelled'],
		['within a word', 'See https://a.example/canceled/7', 'See https://a.example/cancelled/7'],
	])('respells the word by which n8n recognizes a stop: %s', (_label, message, shown) => {
		const error = toNodeError(new NodeFailure(message, { description: 'Wait.' }), CONTEXT);

		expect([error.message, error.description]).toEqual([shown, 'Wait.']);
	});

	it("keeps a job's ID that contains the word by which n8n recognizes a stop", () => {
		const jobId = 'job-3f24e1b9-canceled';
		const failure = new NodeFailure(`Job ${jobId}: The order was canceled`, { jobIds: [jobId] });

		const { message } = toNodeError(failure, CONTEXT);

		expect(message).toBe(`Job ${jobId}: The order was cancelled`);
	});

	it('keeps the word by which n8n recognizes a stop if the execution was stopped', () => {
		const error = toNodeError(stoppedError('no job was started'), CONTEXT);

		expect(error.message).toBe('Execution canceled: no job was started');
	});

	it('redacts message and description and makes their markup harmless', () => {
		const failure = new NodeFailure('<b>key-1</b>', { description: 'key-1\n<i>' });
		const redact = (text: string) => text.replaceAll('key-1', '[hidden]');

		const { message, description } = toNodeError(failure, { ...CONTEXT, redact });

		expect([message, description]).toEqual(['‹b›[hidden]‹/b›', '[hidden] ‹i›']);
	});

	it('ends the description with the links as HTML, each after its name', () => {
		const links = {
			'Live view': 'https://app.example/s3cret/live',
			History: 'https://app.example/<b>',
		};
		const failure = new NodeFailure('Gone', { description: 'Look at it.', links });
		const extended = failure.withMore(['Jobs started by this node: job_1.'], ['job_1']);

		const { description } = toNodeError(extended, CONTEXT);

		expect(description).toBe(
			'Look at it. Jobs started by this node: job_1. Live view: <a href="https://app.example/[hidden]/live" target="_blank">https://app.example/[hidden]/live</a> History: <a href="https://app.example/‹b›" target="_blank">https://app.example/‹b›</a>',
		);
	});

	it.each([
		['an operation error', new NodeOperationError(node, 'A field is missing')],
		['an API error', new NodeApiError(node, { message: 'No' })],
	])('returns %s of n8n as it is', (_label, error) => {
		expect(toNodeError(error, CONTEXT)).toBe(error);
	});

	it('keeps the message of anything else, with the job of the call', () => {
		const error = toNodeError('out of order', CONTEXT, { jobId: 'job_7' });

		expect(error.message).toBe('out of order');
		expect(error.context.jobIds).toEqual(['job_7']);
	});
});

describe('toNodeError for a tool, of which a language model sees the message only', () => {
	it.each<[string, string, NodeFailureDetails, string]>([
		['the description', 'Gone', { description: 'Try again.' }, 'Gone. Try again.'],
		['no word for a stop', 'Gone', { description: 'It is canceled.' }, 'Gone. It is cancelled.'],
		[
			'links',
			'Gone',
			{ links: { History: 'https://app.example/1' } },
			'Gone. History: https://app.example/1',
		],
		['nothing if there is no more', 'Gone', {}, 'Gone'],
		['no second full stop', 'It failed.', { description: 'Try again.' }, 'It failed. Try again.'],
	])('adds to the message %s', (_label, text, details, message) => {
		const error = toNodeError(new NodeFailure(text, details), { ...CONTEXT, isTool: true });

		expect(error.message).toBe(message);
		expect(error.description ?? '').toBe('');
	});
});

describe('toNodeFailure', () => {
	it("keeps n8n's own error with its description", () => {
		const thrown = new NodeOperationError(node, 'Gone', { description: 'Fill it in.' });

		const { message, details } = toNodeFailure(thrown);

		expect(message).toBe('Gone');
		expect(details).toEqual({ description: 'Fill it in.' });
	});
});

describe('An unforeseen error', () => {
	function unexpected(): TypeError {
		const error = new TypeError('No property of s3cret');
		error.stack = 'TypeError: No property of s3cret\n    at read (s3cret.js:1)';
		return error;
	}

	it('is kept as the cause, redacted', () => {
		const error = toNodeError(toNodeFailure(unexpected()).with({ itemIndex: 1 }), CONTEXT);

		expect(error.cause).toMatchObject({
			message: 'No property of [hidden]',
			stack: 'TypeError: No property of [hidden]\n    at read ([hidden].js:1)',
		});
		expect(JSON.stringify(error.cause)).toBe('{}');
	});

	it('is logged with its stack', () => {
		toNodeError(toNodeFailure(unexpected()).with({ itemIndex: 1 }), CONTEXT);

		expect(logged).toEqual([expect.stringContaining('at read (s3cret.js:1)')]);
	});
});

describe('A foreseen error', () => {
	const TIMEOUT = { kind: 'timeout' } as const;

	it.each([
		['an error of ours', new NodeFailure("'Width' is empty")],
		['a failed call', new ServiceError(TIMEOUT, new Error('socket hang up'))],
		["n8n's own error", new NodeOperationError(node, 'No credential')],
		[
			'an error of ours after a failed call',
			new NodeFailure('Gone', {}, new ServiceError(TIMEOUT)),
		],
		[
			'a failed call that was answered',
			new ServiceError({ kind: 'unauthorized', statusCode: 401 }),
		],
	])('is logged neither here nor by n8n, which logs each cause: %s', (_label, error) => {
		const nodeError = toNodeError(toNodeFailure(error).with({ itemIndex: 1 }), CONTEXT);

		expect(logged).toEqual([]);
		expect(nodeError.cause).toBeUndefined();
	});

	it('keeps its cause until it leaves the nodes', () => {
		const cause = new ServiceError(TIMEOUT, new Error('socket hang up'));

		expect(toNodeFailure(cause).with({ itemIndex: 1 })).toMatchObject({ cause: { cause } });
	});
});
