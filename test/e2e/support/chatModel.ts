import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { LOOPBACK } from '../../../dev/n8n/ports';

/** What the model does next: call its tool, or answer. */
export type Turn = { callTool: Record<string, unknown> } | { answer: string };

interface ChatRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{ function: { name: string; description: string; parameters: unknown } }>;
}

/** A chat model that follows a script, with the API that n8n's OpenAI node uses. */
export interface ChatModel {
	/** For the credential. */
	url: string;
	/** The requests it has received, oldest first. */
	requests: ChatRequest[];
	/** The last result of the tool, as the model reads it. */
	toolResult(): string;
	play(turns: Turn[]): void;
	close(): Promise<void>;
}

export async function startChatModel(): Promise<ChatModel> {
	const requests: ChatRequest[] = [];
	let script: Turn[] = [];

	const server = createServer((request, response) => {
		void readJson(request).then((body) => {
			requests.push(body);
			const turn = script.shift() ?? { answer: 'The script has ended.' };
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify(toCompletion(turn, body)));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));

	return {
		url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}/v1`,
		requests,
		toolResult: () => {
			const messages = requests.at(-1)?.messages ?? [];
			const { content } = messages.filter(({ role }) => role === 'tool').at(-1) ?? {};
			return typeof content === 'string' ? content : JSON.stringify(content);
		},
		play: (turns) => {
			script = [...turns];
			requests.length = 0;
		},
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function toCompletion(turn: Turn, { tools }: ChatRequest): object {
	const name = tools?.[0]?.function.name ?? 'no tool';
	const call = 'callTool' in turn ? JSON.stringify(turn.callTool) : undefined;
	const message = call
		? {
				role: 'assistant',
				content: null,
				tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: call } }],
			}
		: { role: 'assistant', content: 'answer' in turn ? turn.answer : '' };
	return {
		id: 'chatcmpl-1',
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}

async function readJson(request: IncomingMessage): Promise<ChatRequest> {
	let text = '';
	for await (const chunk of request) text += String(chunk);
	return JSON.parse(text) as ChatRequest;
}
