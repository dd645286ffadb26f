import { z } from 'zod';

import { type Conversation, createModel } from '../../../local-service/agent/model';
import type { Provider, Settings } from '../../../local-service/settings';
import { useServer } from '../../support/useServer';
import { serviceSettings } from '../support/serviceSettings';

const server = useServer();

const TOOLS = {
	look: { description: 'Looks.', input: z.object({ at: z.string() }) },
};

function converse(provider: Provider, changes: Partial<Settings> = {}): Conversation {
	const choice = { provider, name: 'some-model', label: `${provider}/some-model` };
	const settings = serviceSettings({
		modelUrls: { [provider]: `${server.url}/base` },
		modelKeys: { [provider]: 'key-0123456789' },
		...changes,
	});
	return createModel(choice, settings).converse('Instructions', 'The task', TOOLS);
}

/** Asks twice, with a result between, and returns the bodies of both requests. */
async function askTwice(conversation: Conversation) {
	const { signal } = new AbortController();
	const answer = await conversation.ask('First page', signal);
	conversation.tell('You have looked.');
	await conversation.ask('Second page', signal);
	return {
		answer,
		arrivals: server.arrivals,
		bodies: server.arrivals.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
	};
}

const OPENAI_ANSWER = {
	id: 'resp_1',
	object: 'response',
	created_at: 0,
	model: 'some-model',
	output: [
		{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'encrypted-thoughts' },
		{
			type: 'function_call',
			id: 'fc_1',
			call_id: 'call_1',
			name: 'look',
			arguments: '{"at":"it"}',
			status: 'completed',
		},
	],
	usage: { input_tokens: 500, output_tokens: 7 },
};

const ANTHROPIC_ANSWER = {
	id: 'msg_1',
	type: 'message',
	role: 'assistant',
	model: 'some-model',
	content: [
		{ type: 'thinking', thinking: 'I should look.', signature: 'signed-thoughts' },
		{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'it' } },
	],
	stop_reason: 'tool_use',
	stop_sequence: null,
	usage: { input_tokens: 500, output_tokens: 7 },
};

const GOOGLE_ANSWER = {
	candidates: [
		{
			content: {
				role: 'model',
				parts: [
					{ text: 'I should look.', thought: true },
					{
						functionCall: { name: 'look', args: { at: 'it' } },
						thoughtSignature: 'signed-thoughts',
					},
				],
			},
			finishReason: 'STOP',
		},
	],
	usageMetadata: { promptTokenCount: 500, candidatesTokenCount: 7, totalTokenCount: 507 },
};

const COMPATIBLE_ANSWER = {
	id: 'answer-1',
	created: 0,
	model: 'some-model',
	choices: [
		{
			index: 0,
			finish_reason: 'tool_calls',
			message: {
				role: 'assistant',
				content: null,
				tool_calls: [
					{
						id: 'call_1',
						type: 'function',
						function: { name: 'look', arguments: '{"at":"it"}' },
						extra_content: { google: { thought_signature: 'signed-thoughts' } },
					},
				],
			},
		},
	],
	usage: { prompt_tokens: 500, completion_tokens: 7, total_tokens: 507 },
};

const FORMS: [Provider, unknown, string, string][] = [
	['openai', OPENAI_ANSWER, '/base/responses', 'encrypted-thoughts'],
	['anthropic', ANTHROPIC_ANSWER, '/base/messages', 'signed-thoughts'],
	['google', GOOGLE_ANSWER, '/base/models/some-model:generateContent', 'signed-thoughts'],
	['local', COMPATIBLE_ANSWER, '/base/chat/completions', 'signed-thoughts'],
];

describe('A conversation', () => {
	it.each(FORMS)('is held in the form of %s, with its thoughts given back', async (...form) => {
		const [provider, body, path, thoughts] = form;
		server.answers({ body });

		const { answer, arrivals, bodies } = await askTwice(converse(provider));

		expect(arrivals.map((arrival) => arrival.path)).toEqual([path, path]);
		expect(JSON.stringify(arrivals[0]?.headers)).toContain('key-0123456789');
		expect(answer).toMatchObject({
			call: { tool: 'look', input: { at: 'it' } },
			usage: { inputTokens: 500, outputTokens: 7 },
		});
		const [first, second] = bodies.map((one) => JSON.stringify(one));
		expect(first).toMatch(/Instructions.*The task.*First page|The task.*First page.*Instructions/);
		expect(second).toContain(thoughts);
		expect(second).toContain('You have looked.');
		expect(second).toContain('Second page');
	});

	it.each(FORMS)('shows %s only the newest page', async (provider, body) => {
		server.answers({ body });

		const { bodies } = await askTwice(converse(provider));

		expect(JSON.stringify(bodies[1])).not.toContain('First page');
	});

	it('asks OpenAI to keep nothing, and for one call', async () => {
		server.answers({ body: OPENAI_ANSWER });

		const { bodies } = await askTwice(converse('openai'));

		expect(bodies[1]).toMatchObject({ store: false, parallel_tool_calls: false });
	});

	it('asks Anthropic for one call', async () => {
		server.answers({ body: ANTHROPIC_ANSWER });

		const { bodies } = await askTwice(converse('anthropic'));

		expect(bodies[1]).toMatchObject({ tool_choice: { disable_parallel_tool_use: true } });
	});

	it('takes the addresses of the settings, not those of other variables', async () => {
		process.env.ANTHROPIC_BASE_URL = 'http://127.0.0.1:1/elsewhere';
		server.answers({ body: ANTHROPIC_ANSWER });

		const { arrivals } = await askTwice(converse('anthropic'));
		delete process.env.ANTHROPIC_BASE_URL;

		expect(arrivals).toHaveLength(2);
	});
});
