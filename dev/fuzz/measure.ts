import type { INodeParameters } from 'n8n-workflow';

import { ENDPOINTS, type Endpoint, type FuzzCase, type Reply } from './FuzzCase';
import { runCase, type Bed } from './runCase';

const MB = 1024 * 1024;
const RUNS = 3;

/** A case with one large answer. */
interface HostileInput {
	name: string;
	/** Of what arrives, unpacked. */
	megabytes: number;
	endpoint: Endpoint;
	reply: Partial<Reply>;
	parameters: INodeParameters;
	node?: FuzzCase['node'];
}

const GET = { resource: 'job', operation: 'get', jobId: 'job_1' };
const WAIT = {
	resource: 'job',
	operation: 'wait',
	jobId: 'job_1',
	outputFormat: 'json',
	options: { maxWaitMinutes: 1 },
};
const START = { resource: 'agent', operation: 'run', directive: 'x', waitUntilFinished: false };
const LIST = { triggerOn: ['completed'], jobSource: 'url', jobListUrl: '$FILES/list' };

const INPUTS: HostileInput[] = [
	large('status: [[],[],…] as output', 5, 'emptyArrays', 'output', WAIT),
	large('status: arrays nested in arrays', 5, 'nestedArrays', 'output', WAIT),
	large('status: objects nested in objects', 5, 'nestedObjects', 'output', WAIT),
	large('status: 32 MB of text, Output Format JSON', 31.9, 'letters', 'output', WAIT),
	large('status: 32 MB of brackets as text, Output Format JSON', 31.9, 'brackets', 'output', WAIT),
	large('status: 32 MB of lists', 31.9, 'emptyArrays', undefined, GET),
	{
		name: 'start: gzip of 100 MB (5 MB are read)',
		megabytes: 5,
		endpoint: 'start',
		reply: { body: { kind: 'large', shape: 'letters', bytes: 100 * MB }, encoding: 'gzip' },
		parameters: START,
	},
	{
		name: 'error body of a start',
		megabytes: 4.9,
		endpoint: 'start',
		reply: {
			status: 422,
			body: { kind: 'large', shape: 'letters', bytes: 4.9 * MB, field: 'detail' },
		},
		parameters: START,
	},
	{
		name: 'job list: [[],[],…]',
		megabytes: 4.9,
		endpoint: 'list',
		reply: { body: { kind: 'large', shape: 'emptyArrays', bytes: 4.9 * MB } },
		parameters: LIST,
		node: 'trigger',
	},
];

/** Runs cases with large answers; returns a table of how long each has blocked the event loop. */
export async function measure(bed: Bed): Promise<string[]> {
	const rows = ['| input | MB | CPU ms | ms per MB | longest block, ms |', '|---|---|---|---|---|'];
	for (const input of INPUTS) {
		const results: Array<{ cpuMs: number; blockedMs: number }> = [];
		// The first run compiles the code and makes the body.
		for (let run = 0; run <= RUNS; run++) {
			const cpu = process.cpuUsage();
			const { blockedMs, hasEnded } = await runCase(bed, toCase(input));
			if (!hasEnded) throw new Error(`${input.name} did not end`);
			const { user, system } = process.cpuUsage(cpu);
			if (run > 0) results.push({ cpuMs: (user + system) / 1000, blockedMs });
		}
		const cpuMs = median(results.map((one) => one.cpuMs));
		const blockedMs = median(results.map((one) => one.blockedMs));
		const figures = [input.megabytes, cpuMs, cpuMs / input.megabytes, blockedMs].map(Math.round);
		rows.push(`| ${input.name} | ${figures.join(' | ')} |`);
	}
	return rows;
}

function large(
	name: string,
	megabytes: number,
	shape: Extract<Reply['body'], { kind: 'large' }>['shape'],
	field: string | undefined,
	parameters: INodeParameters,
): HostileInput {
	const bytes = Math.floor(megabytes * MB);
	const body = { kind: 'large' as const, shape, bytes, field };
	return { name, megabytes, endpoint: 'status', reply: { body }, parameters };
}

function toCase({ endpoint, reply, parameters, node = 'agent' }: HostileInput): FuzzCase {
	const usual: Reply = {
		status: 200,
		headers: [['Content-Type', 'application/json']],
		body: { kind: 'json', value: { status: 'completed', job_id: 'job_1' } },
		encoding: 'identity',
		fault: 'none',
	};
	const script = Object.fromEntries(
		ENDPOINTS.map((one) => [one, [one === endpoint ? { ...usual, ...reply } : usual]]),
	) as FuzzCase['script'];
	return { node, parameters, input: [{}], settings: {}, address: 'service', script };
}

function median(values: number[]): number {
	return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}
