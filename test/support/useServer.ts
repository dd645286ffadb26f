import {
	createServer,
	type IncomingMessage,
	type RequestListener,
	type Server,
	type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { SELF_SIGNED } from './selfSigned';

/** A request as it arrived. */
export interface Arrival {
	method: string;
	path: string;
	headers: Record<string, string | string[] | undefined>;
	/** The body as it was sent; empty if there was none. */
	body: string;
}

/** A response of the server. */
export interface ServerAnswer {
	/** Default 200. */
	statusCode?: number;
	headers?: Record<string, string>;
	/** A text is sent as it is, anything else as JSON; without it, there is no body. */
	body?: unknown;
}

type AnswerFunction = (arrival: Arrival, response: ServerResponse) => void;

const DEFAULT_ANSWER: ServerAnswer = { body: {} };

/** A server for the tests of one file, with responses that the sandbox does not give. */
export interface TestServer {
	/** Its address, without a trailing slash. */
	readonly url: string;
	/** The requests that have arrived in this test. */
	readonly arrivals: Arrival[];
	/** Sets the response for the rest of the test; the default is 200 with `{}`. */
	answers(answer: ServerAnswer | AnswerFunction): void;
}

/**
 * Starts a server on the loopback address, for the tests of a file. Without `setClock`, the nodes
 * run on real time.
 */
export function useServer({ tls = false } = {}): TestServer {
	const arrivals: Arrival[] = [];
	let answer: ServerAnswer | AnswerFunction = DEFAULT_ANSWER;
	let server: Server;

	const listener: RequestListener = (request, response) => {
		void arrive(request).then((arrival) => {
			arrivals.push(arrival);
			if (typeof answer === 'function') answer(arrival, response);
			else respond(response, answer);
		});
	};

	beforeAll(async () => {
		server = tls ? createTlsServer(SELF_SIGNED, listener) : createServer(listener);
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	});
	afterEach(() => {
		arrivals.length = 0;
		answer = DEFAULT_ANSWER;
	});
	afterAll(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});

	return {
		arrivals,
		get url() {
			const { port } = server.address() as AddressInfo;
			return `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
		},
		answers(next) {
			answer = next;
		},
	};
}

async function arrive(request: IncomingMessage): Promise<Arrival> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return {
		method: request.method ?? '',
		path: request.url ?? '',
		headers: request.headers,
		body: Buffer.concat(chunks).toString(),
	};
}

function respond(response: ServerResponse, { statusCode = 200, headers, body }: ServerAnswer) {
	const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
	response.writeHead(statusCode, { 'Content-Type': 'application/json', ...headers });
	response.end(text);
}
