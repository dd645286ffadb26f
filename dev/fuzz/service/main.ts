import { parseArgs } from 'node:util';

import { runCommandLine, say } from '../../commandLine';
import { fuzzRequests } from './fuzzRequests';

/**
 * `npm run fuzz:service -- [--cases 2000] [--seed 7] [--path 12:0:1]`: sends random requests of
 * strangers to the local service. Fails with the smallest one that breaks a promise.
 */
async function main(args: string[]): Promise<void> {
	const { values } = parseArgs({
		args,
		options: {
			cases: { type: 'string', default: '2000' },
			seed: { type: 'string', default: String(Date.now() % 1_000_000) },
			path: { type: 'string' },
		},
	});
	const seed = Number(values.seed);
	say(`Seed ${seed}`);
	const began = performance.now();
	const totals = await fuzzRequests({ cases: Number(values.cases), seed, path: values.path });
	const seconds = Math.round((performance.now() - began) / 1000);
	say(
		`${totals.requests} requests in ${seconds} s, ${totals.started} jobs started, event loop blocked ` +
			`for ${Math.round(totals.maxBlockedMs)} ms at most`,
	);
	say(`Statuses: ${JSON.stringify(totals.statuses)}`);
}

runCommandLine(main);
