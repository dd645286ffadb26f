import { isFree, LOOPBACK } from './ports';

const DEFAULT_PORT = 5690;

/** The index of the sandbox's port among those of a run, which listens on this one first. */
const SANDBOX_PLACE = 2;

/**
 * `N8N_PORT` and the ports after it. Throws if one of them is in use; the message says whether by
 * another run.
 */
export async function findRunPorts(count: number): Promise<number[]> {
	const first = Number(process.env.N8N_PORT ?? DEFAULT_PORT);
	const last = first + count - 1;
	if (!Number.isInteger(first) || first < 1 || last > 65_535) {
		const highest = 65_536 - count;
		throw new Error(`N8N_PORT must be a port up to ${highest}, not '${process.env.N8N_PORT}'`);
	}
	const ports = Array.from({ length: count }, (_, index) => first + index);
	for (const port of ports) {
		if (!(await isFree(port))) throw new Error(await describeUse(port, ports));
	}
	return ports;
}

async function describeUse(port: number, [first = 0, ...others]: number[]): Promise<string> {
	const editor = `http://${LOOPBACK}:${first}`;
	const another = 'To start another one, set N8N_PORT to another port.';
	if (!(await answers(`http://${LOOPBACK}:${first + SANDBOX_PLACE}/_sandbox/counters`))) {
		return `Port ${port} is in use. Set N8N_PORT to a port that is free, with the ${others.length} after it.`;
	}
	if (await answers(`${editor}/healthz/readiness`)) {
		return `n8n is already running at ${editor}. ${another}`;
	}
	return `n8n is already starting: its editor will be at ${editor}. ${another}`;
}

async function answers(url: string): Promise<boolean> {
	return await fetch(url).then(
		({ ok }) => ok,
		() => false,
	);
}
