import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { TOKENS, type Arrivals, type Endpoint, type Reply } from '../FuzzCase';
import type { ServerMessage, ServerRequest } from '../ServerProcess';
import { sendReply } from './sendReply';

/**
 * The service and a file host in a process of their own, so that what they do is not counted as work
 * of the nodes. Each case has a path prefix of its own: late requests of one don't reach the next.
 */
interface OpenCase {
	request: ServerRequest & { type: 'open' };
	used: Partial<Record<Endpoint, number>>;
	arrivals: Arrivals;
	sockets: Set<Socket>;
}

const cases = new Map<string, OpenCase>();

async function main(): Promise<void> {
	const [service, fileHost] = await Promise.all([listen(), listen()]);
	process.on('message', (request: ServerRequest) => {
		if (request.type === 'open') open(request);
		else close(request.id);
	});
	process.once('disconnect', () => process.exit());
	tell({ type: 'ready', service: portOf(service), fileHost: portOf(fileHost) });
}

function open(request: ServerRequest & { type: 'open' }): void {
	const arrivals = { starts: [], requests: 0, leakedKeys: [] };
	cases.set(request.id, { request, used: {}, arrivals, sockets: new Set() });
	tell({ type: 'opened' });
}

function close(id: string): void {
	const { arrivals, sockets } = caseOf(id);
	for (const socket of sockets) socket.destroy();
	cases.delete(id);
	tell({ type: 'closed', arrivals });
}

async function listen(): Promise<Server> {
	const server = createServer((request) => void arrive(request).catch(() => {}));
	// A client that speaks TLS gets an answer in plain text.
	server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return server;
}

async function arrive(request: IncomingMessage): Promise<void> {
	const { socket, url = '', headers } = request;
	socket.on('error', () => {});
	const [, id = '', ...path] = url.split('/');
	const found = cases.get(id);
	if (found === undefined) return void socket.destroy();
	found.sockets.add(socket);
	found.arrivals.requests++;
	socket.once('close', () => found.sockets.delete(socket));

	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const endpoint = endpointOf(path);
	const { tokens } = found.request;
	const isService = portOf(socket) === service(found);
	const mayHoldKey = isService && endpoint !== 'health' && path[0] !== 'list';
	if (!mayHoldKey && JSON.stringify(headers).includes(tokens[TOKENS.key] ?? '')) {
		found.arrivals.leakedKeys.push(url);
	}
	const reply = nextReply(found, endpoint);
	if (endpoint === 'start') {
		const hasCdpUrl = Buffer.concat(chunks).includes(tokens[TOKENS.cdpUrl] ?? '');
		found.arrivals.starts.push({ reply, hasCdpUrl });
	}
	const fill = (text: string) => filled(text, tokens);
	sendReply(socket, reply, fill, () => tell({ type: 'stalled', port: socket.remotePort ?? 0 }));
}

function endpointOf([first, second]: string[]): Endpoint {
	if (first === 'workflows') return 'start';
	if (first === 'files') return 'download';
	if (first !== 'v1') return 'list';
	const names: Record<string, Endpoint> = {
		run_browser_agent: 'start',
		get_job_status: 'status',
		pause_job: 'pause',
		resume_job: 'resume',
		get_job_files: 'files',
		get_credit_balance: 'balance',
	};
	return new Map(Object.entries(names)).get(second ?? '') ?? 'health';
}

function nextReply({ request, used }: OpenCase, endpoint: Endpoint): Reply {
	const replies = request.script[endpoint];
	const index = Math.min(used[endpoint] ?? 0, replies.length - 1);
	used[endpoint] = index + 1;
	return replies[index] as Reply;
}

function filled(text: string, tokens: Record<string, string>): string {
	let result = text;
	for (const [token, value] of Object.entries(tokens)) result = result.replaceAll(token, value);
	return result;
}

function service({ request }: OpenCase): number {
	return Number(new URL(request.tokens[TOKENS.service] ?? '').port);
}

function caseOf(id: string): OpenCase {
	const found = cases.get(id);
	if (found === undefined) throw new Error(`There is no case ${id}`);
	return found;
}

function portOf(holder: Server | Socket): number {
	return 'localPort' in holder ? (holder.localPort ?? 0) : (holder.address() as AddressInfo).port;
}

function tell(message: ServerMessage): void {
	process.send?.(message);
}

void main();
