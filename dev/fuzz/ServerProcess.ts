import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import type { Arrivals, ServiceScript } from './FuzzCase';

/** What the servers are asked to do. */
export type ServerRequest =
	| { type: 'open'; id: string; script: ServiceScript; tokens: Record<string, string> }
	| { type: 'close'; id: string };

/** What the servers say. */
export type ServerMessage =
	| { type: 'ready'; service: number; fileHost: number }
	| { type: 'opened' }
	| { type: 'closed'; arrivals: Arrivals }
	/** The connection from this port gets nothing any more, or very slowly. */
	| { type: 'stalled'; port: number };

type Message<Type extends ServerMessage['type']> = Extract<ServerMessage, { type: Type }>;

/** The scripted service and file host. */
export class ServerProcess {
	/** Called for each connection that has stalled. */
	onStall: (port: number) => void = () => {};

	private readonly waiting = new Map<string, (message: ServerMessage) => void>();

	private constructor(private readonly child: ChildProcess) {
		child.on('message', (message: ServerMessage) => {
			if (message.type === 'stalled') this.onStall(message.port);
			else this.waiting.get(message.type)?.(message);
		});
	}

	/** Starts both on free ports of the loopback address. */
	static async start(): Promise<{ server: ServerProcess; service: number; fileHost: number }> {
		const child = fork(path.join(__dirname, 'server/main.ts'), {
			execArgv: ['--import', 'tsx'],
			cwd: path.join(__dirname, '../..'),
			stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		});
		const server = new ServerProcess(child);
		const { service, fileHost } = await server.next('ready');
		return { server, service, fileHost };
	}

	/** Requests below the path `/<id>` are answered by this script from now on. */
	async open(request: Omit<ServerRequest & { type: 'open' }, 'type'>): Promise<void> {
		await this.ask({ type: 'open', ...request }, 'opened');
	}

	/** Closes all connections of a case, and returns what has arrived. */
	async close(id: string): Promise<Arrivals> {
		return (await this.ask({ type: 'close', id }, 'closed')).arrivals;
	}

	async end(): Promise<void> {
		const exit = once(this.child, 'exit');
		this.child.disconnect();
		await exit;
	}

	private async ask<Type extends ServerMessage['type']>(
		request: ServerRequest,
		answer: Type,
	): Promise<Message<Type>> {
		const answered = this.next(answer);
		this.child.send(request);
		return await answered;
	}

	private async next<Type extends ServerMessage['type']>(type: Type): Promise<Message<Type>> {
		return await new Promise((resolve) => {
			this.waiting.set(type, (message) => resolve(message as Message<Type>));
		});
	}
}
