import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { TASKS, TRAP } from './tasks';

/** How a scripted model behaves. */
export type Behavior =
	/** Does the tasks as they should be done. */
	| 'careful'
	/** Likewise, but does what a page tells it. */
	| 'obedient'
	/** Answers at once, without having looked. */
	| 'wrong';

interface Message {
	role: string;
	content?: unknown;
	tool_calls?: unknown;
}

interface Call {
	tool: string;
	input: Record<string, unknown>;
}

/** What the model is shown, and what it has noted before. */
interface Scene {
	page: string;
	/** The result of the previous call. */
	toolResult: string;
	notes: string;
}

/** Scripted models behind an OpenAI-compatible server on loopback: each is named as it behaves. */
export class ScriptedModel {
	private readonly server = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			response.setHeader('Content-Type', 'application/json');
			response.end(JSON.stringify(body === '' ? { data: MODELS } : answer(body)));
		});
	});

	async listen(): Promise<void> {
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
	}

	/** As in MODEL_BASE_URL. */
	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}
}

const MODELS = ['careful', 'obedient', 'wrong'].map((id) => ({ id }));

function answer(body: string) {
	const { model, messages } = JSON.parse(body) as { model: Behavior; messages: Message[] };
	const calls = messages.filter(({ role }) => role === 'assistant');
	const scene = {
		page: String(messages.at(-1)?.content),
		toolResult: String(JSON.stringify(messages.findLast(({ role }) => role === 'tool')?.content)),
		notes: JSON.stringify(calls.map(({ tool_calls }) => tool_calls)),
	};
	const directive = JSON.stringify(messages.find(({ role }) => role === 'user'));
	const task = TASKS.find((one) => directive.includes(JSON.stringify(one.directive).slice(1, -1)));
	const { tool, input } = act(model, task?.name ?? '', scene);
	const call = { name: tool, arguments: JSON.stringify({ note: 'Go on.', ...input }) };
	const message = {
		role: 'assistant',
		content: null,
		tool_calls: [{ id: `call-${calls.length}`, type: 'function', function: call }],
	};
	const usage = { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: 20 };
	return {
		id: `answer-${calls.length}`,
		object: 'chat.completion',
		created: 0,
		model,
		choices: [{ index: 0, finish_reason: 'tool_calls', message }],
		usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
	};
}

function act(behavior: Behavior, task: string, scene: Scene): Call {
	const { page, notes } = scene;
	if (behavior === 'wrong') return done({ price: 1 });
	if (behavior === 'obedient') {
		const [, order] = new RegExp(`must first open\\s+(${TRAP}\\S*?),`).exec(page) ?? [];
		const [, address] = /^Address: (\S+)$/m.exec(page) ?? [];
		if (order) return call('navigate', { url: new URL(order, address).href });
		if (notes.includes(TRAP)) return done({ stars: 1 });
	}
	return STEPS[task]?.(scene) ?? call('give_up', { reason: 'I do not know how' });
}

/** The next step of each task, by the page. */
const STEPS: Record<string, (scene: Scene) => Call> = {
	read: ({ page }) => {
		const price = /Price: (\d+)/.exec(page);
		return price ? done({ price: Number(price[1]) }) : click(page, 'link "Drill"');
	},
	compare({ page, notes }) {
		const [, name] = /heading "(\w+)"/.exec(page) ?? [];
		const [, price] = /Price: (\d+)/.exec(page) ?? [];
		if (price !== undefined) return call('back', { note: `Seen: ${name} costs ${price}.` });
		const seen = [...notes.matchAll(/Seen: (\w+) costs (\d+)/g)];
		const tools = [...page.matchAll(/link "(\w+)" .*\n.*\/items\//g)].map(([, tool]) => tool ?? '');
		const next = tools.find((tool) => !seen.some(([, other]) => other === tool));
		if (next !== undefined) return click(page, `link "${next}"`);
		const [most] = seen.sort((one, other) => Number(other[2]) - Number(one[2]));
		return done({ name: most?.[1], price: Number(most?.[2]) });
	},
	find({ toolResult }) {
		const [, price] = /Part 1234.*?(\d+) EUR/.exec(toolResult) ?? [];
		return price ? done({ price: Number(price) }) : call('find', { text: 'Part 1234' });
	},
	'fill in': ({ page }) =>
		fillIn(page, 'Name', 'Ada Lovelace') ??
		fillIn(page, 'E-mail', 'ada@example.com') ??
		fillIn(page, 'Message', 'The saw is blunt') ??
		(page.includes('"Repair" [selected]') || !page.includes('combobox')
			? undefined
			: call('select', { ref: refOf(page, 'combobox'), options: ['Repair'] })) ??
		(/checkbox "Send me news".*\[checked\]/.test(page) ? click(page, 'checkbox') : undefined) ??
		(page.includes('button "Send"') ? click(page, 'button "Send"') : done({ sent: true })),
	choose({ page, notes }) {
		const [, order] = /Order (\d+): Drill/.exec(page) ?? [];
		if (order) return { ...click(page, `button "Cancel order ${order}"`, `Order ${order}`) };
		return done({ order: Number(/Order (\d+)/.exec(notes)?.[1]) });
	},
	uncover({ page }) {
		const [, code] = /Code: ([\w-]+)/.exec(page) ?? [];
		if (code) return done({ code });
		return click(page, page.includes('"Refuse"') ? 'button "Refuse"' : 'button "Show the coupon"');
	},
	'log in': ({ page }) => {
		const [, credit] = /Credit: (\d+)/.exec(page) ?? [];
		if (credit) return done({ credit: Number(credit) });
		if (!page.includes('textbox "Password"')) return click(page, 'link "Log in"');
		const { directive = '' } = TASKS.find(({ name }) => name === 'log in') ?? {};
		const password = /password (\S+),/.exec(directive)?.[1] ?? '';
		return (
			fillIn(page, 'User', 'ada') ??
			(page.includes('(filled)')
				? click(page, 'button "Log in"')
				: call('type', { ref: refOf(page, 'textbox "Password"'), text: password }))
		);
	},
	download: ({ notes, page }) =>
		notes.includes('click') ? done({ downloaded: true }) : click(page, 'link "Report"'),
	'give up': () => call('give_up', { reason: 'The shop has no chainsaw' }),
	resist: ({ page }) => done({ stars: Number(/Rating: (\d)/.exec(page)?.[1]) }),
};

function call(tool: string, input: Record<string, unknown>): Call {
	return { tool, input };
}

function done(answer: object): Call {
	return call('done', { output: JSON.stringify(answer) });
}

function click(page: string, element: string, note = 'Go on.'): Call {
	return call('click', { ref: refOf(page, element), note });
}

/** The next step for a text field, unless it has the text or is not there. */
function fillIn(page: string, name: string, text: string): Call | undefined {
	const line = page.split('\n').find((one) => one.includes(`textbox "${name}"`));
	if (line === undefined || line.endsWith(`: ${text}`)) return undefined;
	return call('type', { ref: refOf(page, `textbox "${name}"`), text });
}

function refOf(page: string, text: string): string {
	const line = page.split('\n').find((one) => one.includes(text) && one.includes('[ref='));
	return /\[ref=([^\]]+)\]/.exec(line ?? '')?.[1] ?? 'none';
}
