import fc from 'fast-check';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import { LINKS } from './hostilePages';

/** What the model calls, or how its server answers in place of that. */
export type ModelTurn =
	| { kind: 'call'; name: string; input: Record<string, unknown> }
	/** Clicks the link with this name, if the page has it. */
	| { kind: 'link'; name: string }
	/** A response of any form. */
	| { kind: 'raw'; name: RawName };

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const completion = (message: object, more: object = {}) =>
	JSON.stringify({
		id: 'a',
		object: 'chat.completion',
		created: 0,
		model: 'hostile',
		choices: [
			{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', ...message } },
		],
		...more,
	});

const calling = (name: string, text: string) => ({
	content: null,
	tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: text } }],
});

const RAW = {
	empty: '',
	null: 'null',
	'a page': '<html><script>alert(1)</script></html>',
	'no choices': '{"choices":[]}',
	'choices of another type': '{"choices":{"0":1},"usage":"x"}',
	'a deep answer': deep(200_000),
	'deep arguments': completion(calling('click', deep(100_000))),
	'arguments that are no JSON': completion(calling('click', '{"ref":')),
	'arguments that are a list': completion(calling('click', '[1,2]')),
	'arguments that are null': completion(calling('done', 'null')),
	'a prototype': completion(
		calling('navigate', '{"__proto__":{"url":"http://x"},"constructor":1}'),
	),
	'a tool of every object': completion(calling('constructor', '{}')),
	'a tool without a name': completion(calling('', '{}')),
	'a thousand calls': completion({
		content: null,
		tool_calls: Array.from({ length: 1000 }, (_, index) => ({
			id: `c${index}`,
			type: 'function',
			function: { name: 'wait', arguments: '{"seconds":0,"note":"x"}' },
		})),
	}),
	'calls with one ID': completion({
		content: null,
		tool_calls: [1, 2].map(() => ({
			id: 'same',
			type: 'function',
			function: { name: 'back', arguments: '{"note":"x"}' },
		})),
	}),
	'numbers in place of texts': completion({ content: 7, tool_calls: 'none' }),
	'much text': completion({ content: 'x'.repeat(3_000_000) }),
	'too much text': completion({ content: 'x'.repeat(6_000_000) }),
	'a count below zero': completion(calling('back', '{"note":"x"}'), {
		usage: { prompt_tokens: -5, completion_tokens: 1e308, total_tokens: 'x' },
	}),
	'a final answer that is deep': completion(calling('done', `{"output":${deep(20_000)}}`)),
	'a final answer of markup': completion(
		calling('done', '{"output":"<img src=x onerror=alert(1)>\\u0000\\ud800"}'),
	),
	'a wait without end': completion(calling('wait', '{"seconds":1e308,"note":"x"}')),
	'a search that backtracks': completion(
		calling('find', `{"text":"${'(a+)+'.repeat(2000)}","note":"x"}`),
	),
	'a key without end': completion(
		calling('press', `{"key":"${'Control+'.repeat(5000)}a","note":"x"}`),
	),
	'not an address': completion(calling('navigate', '{"url":"http://[::1","note":"x"}')),
} as const;

type RawName =
	| keyof typeof RAW
	| 'a redirect'
	| 'a gzip bomb'
	| 'a body that is cut off'
	| 'an error with the key'
	| 'a stream of spaces';

/** One turn: mostly what a model does, else what no server should. */
export const modelTurns: fc.Arbitrary<ModelTurn[]> = fc.array(
	fc.oneof(
		{
			arbitrary: fc.constantFrom(...LINKS).map((name): ModelTurn => ({ kind: 'link', name })),
			weight: 4,
		},
		{
			arbitrary: fc.constantFrom<ModelTurn>(
				call('type', { ref: 'e12', text: 'a"><b>', submit: true }),
				call('find', { text: 'Calm' }),
				call('press', { key: 'Enter' }),
				call('back', {}),
				call('wait', { seconds: 1 }),
				call('click', { ref: 'e999' }),
				call('select', { ref: 'e5', options: ['x'] }),
				call('navigate', { url: 'file:///etc/passwd' }),
				call('navigate', { url: 'chrome://settings' }),
				call('navigate', { url: 'http://127.0.0.1:1/' }),
				call('navigate', { url: 'view-source:http://localhost/' }),
			),
			weight: 3,
		},
		{
			arbitrary: fc
				.constantFrom<RawName>(
					...(Object.keys(RAW) as RawName[]),
					'a redirect',
					'a gzip bomb',
					'a body that is cut off',
					'an error with the key',
					'a stream of spaces',
				)
				.map((name): ModelTurn => ({ kind: 'raw', name })),
			weight: 3,
		},
	),
	{ minLength: 1, maxLength: 4 },
);

/** Answers a request of the service for a model's next call. `page` is what the model is shown. */
export function answerAsModel(
	turn: ModelTurn,
	{
		page,
		authorization,
		privateHost,
	}: { page: string; authorization: string; privateHost: string },
	response: ServerResponse,
): void {
	const json = { 'Content-Type': 'application/json' };
	if (turn.kind === 'link') {
		const [, ref = 'e1'] = new RegExp(`link "${turn.name}".*?\\[ref=(\\w+)\\]`).exec(page) ?? [];
		response
			.writeHead(200, json)
			.end(completion(calling('click', JSON.stringify({ ref, note: 'x' }))));
		return;
	}
	if (turn.kind === 'call') {
		const text = JSON.stringify({ note: 'x', ...turn.input });
		response.writeHead(200, json).end(completion(calling(turn.name, text)));
		return;
	}
	switch (turn.name) {
		case 'a redirect':
			response.writeHead(307, { Location: `http://${privateHost}/v1/chat/completions` }).end();
			return;
		case 'a gzip bomb':
			response.writeHead(200, { ...json, 'Content-Encoding': 'gzip' }).end(BOMB);
			return;
		case 'a body that is cut off':
			response.writeHead(200, { ...json, 'Content-Length': '1000' });
			response.write('{"choices":[');
			setTimeout(() => response.destroy(), 50);
			return;
		case 'an error with the key':
			response.writeHead(401, json).end(JSON.stringify({ error: { message: authorization } }));
			return;
		case 'a stream of spaces': {
			response.writeHead(200, json);
			const timer = setInterval(() => response.write(' '.repeat(200_000)), 20);
			response.on('close', () => clearInterval(timer));
			return;
		}
		default:
			response.writeHead(200, json).end(RAW[turn.name]);
	}
}

/** Made once: 100 MB of spaces. */
const BOMB = gzipSync(Buffer.alloc(100 * 2 ** 20, ' '));

function call(name: string, input: Record<string, unknown>): ModelTurn {
	return { kind: 'call', name, input };
}
