import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { LOOPBACK } from '../../../dev/n8n/ports';

/** The input of a tool, or what makes it of the last result. */
type ToolInput =
	| Record<string, unknown>
	| ((lastResult: string) => Promise<Record<string, unknown>> | Record<string, unknown>);

/** What the model does next: call a tool, by default its only one, or answer. */
export type Turn = { callTool: ToolInput; named?: string } | { answer: string };

interface ChatRequest {
	/** Whether the answer is sent as events. */
	stream?: boolean;
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{ function: { name: string; description: string; parameters: unknown } }>;
}

/** A chat model that follows a script, with OpenAI's API for chat completions. */
export interface ChatModel {
	/** For the credential. */
	url: string;
	/** The requests it has received, oldest first. */
	requests: ChatRequest[];
	/** All results of its tools in this conversation, as the model reads them. */
	toolResults(): string[];
	play(turns: Turn[]): void;
	close(): Promise<void>;
}

/** Starts a chat model that answers as its script says. */
export async function startChatModel(): Promise<ChatModel> {
	const requests: ChatRequest[] = [];
	let script: Turn[] = [];

	const server = createServer((request, response) => {
		void readJson(request).then(async (body) => {
			requests.push(body);
			const turn = script.shift() ?? { answer: 'The script has ended.' };
			const completion = await toCompletion(turn, body);
			response.setHeader('content-type', body.stream ? 'text/event-stream' : 'application/json');
			response.end(body.stream ? toEvents(completion) : JSON.stringify(completion));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));

	return {
		url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}/v1`,
		requests,
		toolResults: () => toolResultsIn(requests.at(-1)),
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

function toolResultsIn(request: ChatRequest | undefined): string[] {
	const results = request?.messages.filter(({ role }) => role === 'tool') ?? [];
	return results.map(({ content }) =>
		typeof content === 'string' ? content : JSON.stringify(content),
	);
}

interface Completion {
	id: string;
	object: string;
	created: number;
	model: string;
	choices: Array<{ index: number; message: Message; finish_reason: string }>;
	usage: Record<string, number>;
}

interface Message {
	role: 'assistant';
	content: string | null;
	tool_calls?: Array<{
		id: string;
		type: 'function';
		function: { name: string; arguments: string };
	}>;
}

/** The completion as a stream of events: everything in the first one. */
function toEvents(completion: Completion): string {
	const choices = completion.choices.map(({ index, message, finish_reason }) => ({
		index,
		delta: {
			...message,
			tool_calls: message.tool_calls?.map((call, position) => ({ index: position, ...call })),
		},
		finish_reason,
	}));
	const event = { ...completion, object: 'chat.completion.chunk', choices };
	return `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`;
}

async function toCompletion(turn: Turn, request: ChatRequest): Promise<Completion> {
	const isCall = 'callTool' in turn;
	return {
		id: 'chatcmpl-1',
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [
			{
				index: 0,
				message: isCall
					? await toToolCall(turn, request)
					: { role: 'assistant', content: turn.answer },
				finish_reason: isCall ? 'tool_calls' : 'stop',
			},
		],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}

async function toToolCall(
	{ callTool, named }: Extract<Turn, { callTool: ToolInput }>,
	request: ChatRequest,
): Promise<Message> {
	const results = toolResultsIn(request);
	const input = typeof callTool === 'function' ? await callTool(results.at(-1) ?? '') : callTool;
	const name = named ?? request.tools?.[0]?.function.name ?? 'no tool';
	return {
		role: 'assistant',
		content: null,
		tool_calls: [
			{
				id: `call_${results.length + 1}`,
				type: 'function',
				function: { name, arguments: JSON.stringify(input) },
			},
		],
	};
}

async function readJson(request: IncomingMessage): Promise<ChatRequest> {
	let text = '';
	for await (const chunk of request) text += String(chunk);
	return JSON.parse(text) as ChatRequest;
}
