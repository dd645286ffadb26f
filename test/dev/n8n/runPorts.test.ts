import { createServer, type RequestListener, type Server } from 'node:http';

import { freePorts, LOOPBACK } from '../../../dev/n8n/ports';
import { findRunPorts, SANDBOX_PLACE } from '../../../dev/n8n/runPorts';
import { startSandbox } from '../../../dev/sandbox/startSandbox';

describe('Ports of npm run n8n', () => {
	const original = process.env.N8N_PORT;
	const closers: Array<() => Promise<unknown>> = [];
	let first: number;

	beforeEach(async () => {
		first = await firstOfFour();
		process.env.N8N_PORT = String(first);
	});
	afterEach(async () => {
		await Promise.all(closers.splice(0).map(async (close) => await close()));
		delete process.env.N8N_PORT;
		if (original !== undefined) process.env.N8N_PORT = original;
	});

	async function givenServer(port: number, answer: RequestListener): Promise<void> {
		const server: Server = createServer(answer);
		await new Promise<void>((resolve) => server.listen(port, LOOPBACK, resolve));
		closers.push(async () => await new Promise((resolve) => server.close(resolve)));
	}

	async function givenSandbox(): Promise<void> {
		const sandbox = await startSandbox({ port: first + SANDBOX_PLACE, filesPort: first + 3 });
		closers.push(async () => await sandbox.close());
	}

	it('are refused to a second run, which says that the first one is starting', async () => {
		await givenSandbox();

		await expect(findRunPorts(4)).rejects.toThrow(
			`n8n is already starting: its editor will be at http://127.0.0.1:${first}. To start another one, set N8N_PORT`,
		);
	});

	it('are refused to a second run, which says that the first one is running', async () => {
		await givenSandbox();
		await givenServer(first, (_request, response) => response.end());

		await expect(findRunPorts(4)).rejects.toThrow(
			`n8n is already running at http://127.0.0.1:${first}.`,
		);
	});

	it('are refused when another program uses one of them', async () => {
		await givenServer(first + 1, (_request, response) => response.end());

		await expect(findRunPorts(4)).rejects.toThrow(
			`Port ${first + 1} is in use. Set N8N_PORT to a port that is free, with the 3 after it.`,
		);
	});

	it.each(['abc', '0', '65534', '1.5'])('are refused with N8N_PORT=%s', async (port) => {
		process.env.N8N_PORT = port;

		await expect(findRunPorts(4)).rejects.toThrow(
			`N8N_PORT must be a port up to 65532, not '${port}'`,
		);
	});
});

/** The first of four free ports in a row. */
async function firstOfFour(): Promise<number> {
	for (;;) {
		const [first = 0, ...others] = await freePorts(4);
		if (others.at(-1) === first + 3) return first;
	}
}
