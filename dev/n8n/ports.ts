import { createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

// Below the range of ephemeral ports, so that the system assigns none of these to others.
const FIRST = 21_000;
const LAST = 32_000;

// Test files that run at the same time must not find the same port free.
const PER_WORKER = 500;
const worker = Number(process.env.JEST_WORKER_ID ?? 1);

let next = Number(process.env.BROWSER_AGENT_PORTS ?? FIRST) + (worker - 1) * PER_WORKER;

/** This many free ports, from `BROWSER_AGENT_PORTS` on; none is returned twice. */
export async function freePorts(count: number): Promise<number[]> {
	const ports: number[] = [];
	while (ports.length < count && next < LAST) {
		if (await isFree(next)) ports.push(next);
		next += 1;
	}
	if (ports.length < count) throw new Error(`No free port below ${LAST} is left`);
	return ports;
}

/** Whether nothing listens on this port of the loopback address. */
export async function isFree(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(false));
		server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
	});
}
