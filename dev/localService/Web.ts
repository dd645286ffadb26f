import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does in a job, by the first word of its directive. */
export const KINDS = [
	'read',
	'download',
	'overload',
	'give-up',
	'talk',
	'fail',
	'garbage',
	'crash',
	'hang',
	'think',
] as const;

export type Kind = (typeof KINDS)[number];

const STEPS = 3;
const OVERLOAD_BYTES = 3 * 2 ** 20;

const PAGE = `<title>Page</title><h1>Page</h1><a href="/next">Next</a> <a href="/file.csv">File</a>
	<a href="/big.bin">Big</a> <a href="/memory">Memory</a> <a href="/hang">Hang</a>
	<input aria-label="Field"><input type="password" value="secret-0f-the-page">
	<ul>${'<li>Item</li>'.repeat(50)}</ul>`;

/** Pages and a scripted model on one port of loopback. */
export class Web {
	/** Answers of the model that a service has been sent whole. */
	answers = 0;
	private readonly asked = new Map<string, number>();
	private readonly server = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? '/', 'http://localhost');
		if (!pathname.startsWith('/v1/')) return sendPage(pathname, response);
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => this.answer(body, response));
	});

	async listen(): Promise<void> {
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
	}

	get host(): string {
		return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}

	/** The directive is `kind number`, and thus each job's own. */
	private answer(body: string, response: ServerResponse): void {
		response.setHeader('Content-Type', 'application/json');
		if (body === '') return void response.end('{"data":[{"id":"week"}]}');
		const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
		const directive = String(messages.find(({ role }) => role === 'user')?.content);
		const number = (this.asked.get(directive) ?? 0) + 1;
		this.asked.set(directive, number);
		const message = toMessage(
			directive.split(' ')[0] as Kind,
			number,
			String(messages.at(-1)?.content),
		);
		if (message === 'silence') return;
		if (message === 'failure') return void response.writeHead(503).end('{"error":"overloaded"}');
		if (message === 'garbage') return void response.end('<html>Welcome</html>');
		response.on('finish', () => this.answers++);
		const choices = [{ index: 0, finish_reason: 'tool_calls', message }];
		const usage = { prompt_tokens: body.length, completion_tokens: 9, total_tokens: body.length };
		response.end(
			JSON.stringify({
				id: 'a',
				object: 'chat.completion',
				created: 0,
				model: 'week',
				choices,
				usage,
			}),
		);
	}
}

function toMessage(kind: Kind, number: number, page: string) {
	const link = (name: string) => {
		const [, ref] = new RegExp(`link "${name}".*?\\[ref=(\\w+)\\]`).exec(page) ?? [];
		return ref === undefined ? call('done', { output: 'lost' }) : call('click', { ref });
	};
	const done = call('done', { output: { kind, number } });
	switch (kind) {
		case 'read':
			return number < STEPS ? link('Next') : done;
		case 'download':
			return number < STEPS ? link('File') : done;
		case 'overload':
			return number === 1 ? link('Big') : done;
		case 'crash':
			return number === 1 ? link('Memory') : done;
		case 'hang':
			return number === 1 ? link('Hang') : done;
		case 'give-up':
			return call('give_up', { reason: 'There is no such thing' });
		case 'talk':
			return { role: 'assistant', content: 'Hello' };
		case 'think':
			return number === 1 ? link('Next') : 'silence';
		case 'fail':
			return 'failure';
		case 'garbage':
			return 'garbage';
	}
}

function call(name: string, input: object) {
	const fn = { name, arguments: JSON.stringify({ note: 'Next.', ...input }) };
	return {
		role: 'assistant',
		content: null,
		tool_calls: [{ id: 'c', type: 'function', function: fn }],
	};
}

function sendPage(pathname: string, response: ServerResponse): void {
	if (pathname === '/hang') return;
	if (pathname === '/file.csv' || pathname === '/big.bin') {
		response.setHeader('Content-Disposition', 'attachment');
		response.end(pathname === '/big.bin' ? Buffer.alloc(OVERLOAD_BYTES) : 'a,b\n1,2\n');
		return;
	}
	response.setHeader('Content-Type', 'text/html');
	const memory =
		'<script>const all = []; for (;;) all.push(new Array(1e6).fill(all.length))</script>';
	response.end(pathname === '/memory' ? `${PAGE}${memory}` : PAGE);
}
