import type { ServerResponse } from 'node:http';

import type { ModelChoice, Settings } from '../../../local-service/settings';
import { type Arrival, useServer } from '../../support/useServer';

/** What the scripted model is shown in one request. */
export interface Shown {
	/** From 1, in this test. */
	number: number;
	/** The newest message: the page as it is now. */
	page: string;
	/** All of the request, as it arrived. */
	arrival: Arrival;
	/** The messages of the request, in OpenAI's form. */
	messages: { role: string; content?: unknown; tool_call_id?: string; tool_calls?: unknown[] }[];
}

/** What the scripted model does. */
export type ModelAction =
	| { call: string; input?: Record<string, unknown> }
	| { calls: { call: string; input?: Record<string, unknown> }[] }
	| { text: string }
	/** A response of any form. */
	| { status: number; headers?: Record<string, string>; body: unknown }
	/** No response at all, until the client goes away. */
	| 'silence';

/** A scripted model: what it does is a function of what it is shown. */
export type Script = (shown: Shown) => ModelAction | Promise<ModelAction>;

/** An OpenAI-compatible server on loopback, for the tests of a file. */
export interface ModelServer {
	/** With the path, as in MODEL_BASE_URL. */
	readonly url: string;
	/** All requests of this test, as they arrived. */
	readonly arrivals: Arrival[];
	/** Sets what the model does in this test. A list is done one after the other. */
	does(script: Script | ModelAction[]): void;
	/** Whether answers have a count of tokens. Default true. */
	counts: boolean;
	/** The part of the settings that chooses this model. */
	settings(): Pick<Settings, 'models' | 'modelKeys' | 'modelUrls'>;
	readonly choice: ModelChoice;
}

/** The input of a tool's call, with the note that all but two need. */
const NOTE = 'I have seen it.';

/** Starts a scripted model for the tests of a file. */
export function useModelServer(): ModelServer {
	const server = useServer();
	const choice: ModelChoice = { provider: 'local', name: 'scripted', label: 'local/scripted' };
	let script: Script = () => ({ status: 500, body: 'The test has set no script' });

	const modelServer: ModelServer = {
		choice,
		arrivals: server.arrivals,
		counts: true,
		get url() {
			return `${server.url}/v1`;
		},
		does(next) {
			script =
				typeof next === 'function'
					? next
					: ({ number }) => next[number - 1] ?? { call: 'give_up', input: { reason: 'No more' } };
			server.answers((arrival, response) => void answer(arrival, response));
		},
		settings: () => ({
			models: [choice],
			modelKeys: { local: 'sk-local-0123456789' },
			modelUrls: { local: `${server.url}/v1` },
		}),
	};
	beforeEach(() => {
		modelServer.counts = true;
	});

	async function answer(arrival: Arrival, response: ServerResponse): Promise<void> {
		if (arrival.method === 'GET') {
			// The list of models, for which a service asks at its start.
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ data: [{ id: choice.name }] }));
			return;
		}
		const { messages } = JSON.parse(arrival.body) as { messages: Shown['messages'] };
		const number = server.arrivals.filter(({ method }) => method === 'POST').length;
		const page = String(messages.at(-1)?.content);
		const action = await act(script, { number, page, arrival, messages });
		if (action === 'silence') return;
		if ('status' in action) {
			const { status, headers, body } = action;
			response.writeHead(status, { 'content-type': 'application/json', ...headers });
			response.end(typeof body === 'string' ? body : JSON.stringify(body));
			return;
		}
		const tokens = Math.ceil(arrival.body.length / 4);
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify(toCompletion(action, number, modelServer.counts ? tokens : 0)));
	}

	return modelServer;
}

/** A script that throws, such as by an expectation, ends the task with its message. */
async function act(script: Script, shown: Shown): Promise<ModelAction> {
	try {
		return await script(shown);
	} catch (error) {
		return { call: 'give_up', input: { reason: `The script failed: ${String(error)}` } };
	}
}

function toCompletion(
	action: Exclude<ModelAction, 'silence' | { status: number }>,
	number: number,
	tokens: number,
) {
	const calls = 'calls' in action ? action.calls : 'call' in action ? [action] : [];
	const usage = { prompt_tokens: tokens, completion_tokens: 20, total_tokens: tokens + 20 };
	return {
		id: `answer-${number}`,
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [
			{
				index: 0,
				finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
				message: {
					role: 'assistant',
					content: 'text' in action ? action.text : null,
					tool_calls: calls.map(({ call, input }, index) => ({
						id: `call-${number}-${index}`,
						type: 'function',
						function: { name: call, arguments: JSON.stringify(withNote(call, input)) },
					})),
				},
			},
		],
		usage: tokens > 0 ? usage : undefined,
	};
}

function withNote(call: string, input: Record<string, unknown> = {}): Record<string, unknown> {
	return call === 'done' || call === 'give_up' ? input : { note: NOTE, ...input };
}

/** The reference of the first element whose line contains the text. */
export function refOf(page: string, text: string): string {
	const line = page.split('\n').find((one) => one.includes(text) && one.includes('[ref='));
	const ref = /\[ref=([^\]]+)\]/.exec(line ?? '')?.[1];
	if (ref === undefined) throw new Error(`No element with '${text}' in:\n${page}`);
	return ref;
}
