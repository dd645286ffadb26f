import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const NEXT = 'Next page';

/** Pages that lead from one to the next, and a model that follows them, on one port of loopback. */
export interface Pages {
	/** Of the first page, without a trailing slash. */
	url: string;
	host: string;
	/** As in MODEL_BASE_URL. */
	modelUrl: string;
	/** A page that never answers. */
	hangingUrl: string;
	/** How many pages the model opens before it is done; Infinity: it thinks at the first, for ever. */
	steps: number;
	/** Called with each request for a page. */
	onPage: () => void;
	/** Called with each question to the model. */
	onQuestion: () => void;
	close(): void;
}

/** Starts pages and a scripted model that answers at once. */
export async function startPages(): Promise<Pages> {
	const server = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? '/', 'http://localhost');
		if (pathname === '/hang') return;
		if (!pathname.startsWith('/v1/')) {
			sendPage(pathname, response, pages);
			return;
		}

		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => answerQuestion(body, response, pages));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	const pages: Pages = {
		url: `http://${host}`,
		host,
		modelUrl: `http://${host}/v1`,
		hangingUrl: `http://${host}/hang`,
		steps: 0,
		onPage: () => {},
		onQuestion: () => {},
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
	return pages;
}

function sendPage(pathname: string, response: ServerResponse, pages: Pages): void {
	pages.onPage();
	const number = Number(pathname.slice(1)) || 0;
	const items = Array.from({ length: 50 }, (_, item) => `<li><a href="#${item}">Item ${item}</a>`);
	response.setHeader('Content-Type', 'text/html');
	response.end(`<title>Page ${number}</title><h1>Page ${number}</h1>
		<a href="/${number + 1}">${NEXT}</a><ul>${items.join('')}</ul>`);
}

function answerQuestion(body: string, response: ServerResponse, pages: Pages): void {
	response.setHeader('Content-Type', 'application/json');
	if (body === '') {
		response.end(JSON.stringify({ data: [{ id: 'bench' }] }));
		return;
	}

	pages.onQuestion();
	if (pages.steps === Infinity) return;
	const { messages } = JSON.parse(body) as { messages: { content: unknown }[] };
	const page = String(messages.at(-1)?.content);
	const [, number] = /heading "Page (\d+)"/.exec(page) ?? [];
	const [, ref] = new RegExp(`link "${NEXT}".*?\\[ref=(\\w+)\\]`).exec(page) ?? [];
	const call =
		Number(number) < pages.steps
			? { name: 'click', arguments: JSON.stringify({ ref, note: 'Next.' }) }
			: { name: 'done', arguments: JSON.stringify({ output: page.length }) };
	response.end(
		JSON.stringify({
			id: 'answer',
			object: 'chat.completion',
			created: 0,
			model: 'bench',
			choices: [
				{
					index: 0,
					finish_reason: 'tool_calls',
					message: {
						role: 'assistant',
						content: null,
						tool_calls: [{ id: 'call', type: 'function', function: call }],
					},
				},
			],
		}),
	);
}
