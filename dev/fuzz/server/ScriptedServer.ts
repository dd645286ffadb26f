import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { ENDPOINTS, TOKENS, type Arrivals, type Endpoint, type FuzzCase } from '../FuzzCase';
import { fillTokens } from '../secrets';
import { toBytes, type RawReply } from './rawReply';

interface OpenCase {
	replies: Record<Endpoint, RawReply[]>;
	used: Partial<Record<Endpoint, number>>;
	tokens: Record<string, string>;
	arrivals: Arrivals;
	sockets: Set<Socket>;
}

/**
 * The service and a file host. Each case has a path prefix, so late requests don't reach the next.
 */
export class ScriptedServer {
	private readonly cases = new Map<string, OpenCase>();
	private readonly service = this.create();
	private readonly fileHost = this.create();

	async listen(): Promise<void> {
		for (const server of [this.service, this.fileHost]) {
			await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		}
	}

	/**
	 * Makes all bytes now, so that it takes no time while the nodes are measured; returns the tokens.
	 */
	open(id: string, script: FuzzCase['script'], secrets: Record<string, string>) {
		const address = (server: Server) => `http://127.0.0.1:${portOf(server)}/${id}`;
		const tokens = {
			...secrets,
			[TOKENS.service]: address(this.service),
			[TOKENS.fileHost]: address(this.fileHost),
		};
		const replies = Object.fromEntries(
			ENDPOINTS.map((endpoint) => [
				endpoint,
				script[endpoint].map((reply) => toBytes(reply, (text) => fillTokens(text, tokens))),
			]),
		) as OpenCase['replies'];
		const arrivals = { starts: [], requests: 0, leakedKeys: [] };
		this.cases.set(id, { replies, used: {}, tokens, arrivals, sockets: new Set() });
		return tokens;
	}

	/** Returns what has arrived. */
	close(id: string): Arrivals {
		const { arrivals, sockets } = this.cases.get(id) as OpenCase;
		for (const socket of sockets) socket.destroy();
		this.cases.delete(id);
		return arrivals;
	}

	private create(): Server {
		return createServer((request) => void this.answer(request).catch(() => {}));
	}

	private async answer(request: IncomingMessage): Promise<void> {
		const { socket, url = '', headers } = request;
		socket.on('error', () => {});
		const [, id = '', ...path] = url.split('/');
		const open = this.cases.get(id);
		if (open === undefined) return void socket.destroy();
		const { arrivals, sockets, tokens } = open;
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
		arrivals.requests++;

		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const endpoint = endpointOf(path);
		const isService = socket.localPort === portOf(this.service);
		const mayHoldKey = isService && endpoint !== 'health' && path[0] !== 'list';
		if (!mayHoldKey && JSON.stringify(headers).includes(tokens[TOKENS.key] ?? '')) {
			arrivals.leakedKeys.push(url);
		}
		const raw = nextReply(open, endpoint);
		if (endpoint === 'run_browser_agent') {
			const hasCdpUrl = Buffer.concat(chunks).includes(tokens[TOKENS.cdpUrl] ?? '');
			arrivals.starts.push({ reply: raw.reply, hasCdpUrl });
		}
		socket.write(raw.head, 'latin1');
		socket.end(raw.body);
	}
}

function endpointOf([first, second]: string[]): Endpoint {
	if (first === 'workflows') return 'run_browser_agent';
	if (first === 'files') return 'download';
	if (first !== 'v1') return 'list';
	return ENDPOINTS.find((endpoint) => endpoint === second) ?? 'health';
}

function nextReply({ replies, used }: OpenCase, endpoint: Endpoint): RawReply {
	const index = Math.min(used[endpoint] ?? 0, replies[endpoint].length - 1);
	used[endpoint] = index + 1;
	return replies[endpoint][index] as RawReply;
}

function portOf(server: Server): number {
	return (server.address() as AddressInfo).port;
}
