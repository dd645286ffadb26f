import { parseArgs } from 'node:util';

import { runCommandLine, say } from '../../commandLine';
import { fuzzJobs } from './fuzzJobs';
import { fuzzRequests } from './fuzzRequests';

/**
 * `npm run fuzz:service -- [--cases 2000] [--jobs 40] [--seed 7] [--path 12:0:1] [--job-path 3]`:
 * sends random requests of strangers to the local service, then runs jobs on random hostile pages.
 * Fails with what breaks a promise.
 */
async function main(args: string[]): Promise<void> {
	const { values } = parseArgs({
		args,
		options: {
			cases: { type: 'string', default: '2000' },
			jobs: { type: 'string', default: '40' },
			seed: { type: 'string', default: String(Date.now() % 1_000_000) },
			path: { type: 'string' },
			'job-path': { type: 'string' },
		},
	});
	const seed = Number(values.seed);
	say(`Seed ${seed}`);
	const requests = Number(values.cases);
	if (requests > 0) await sendRequests({ cases: requests, seed, path: values.path });
	const jobs = Number(values.jobs);
	if (jobs > 0) await runJobs({ cases: jobs, seed, path: values['job-path'] });
}

async function sendRequests(options: { cases: number; seed: number; path?: string }) {
	const secondsSince = begin();
	const totals = await fuzzRequests(options);
	say(
		`${totals.requests} requests in ${secondsSince()} s, ${totals.started} jobs started, event loop ` +
			`blocked for ${Math.round(totals.maxBlockedMs)} ms at most`,
	);
	say(`Statuses: ${JSON.stringify(totals.statuses)}`);
}

async function runJobs(options: { cases: number; seed: number; path?: string }) {
	const secondsSince = begin();
	const totals = await fuzzJobs(options);
	say(
		`${totals.jobs} jobs on hostile pages in ${secondsSince()} s, ${totals.completed} completed, event ` +
			`loop blocked for ${Math.round(totals.maxBlockedMs)} ms at most, polls answered within ` +
			`${Math.round(totals.maxPollMs)} ms`,
	);
	for (const [error, count] of Object.entries(totals.errors)) say(`${count} × ${error}`);
}

function begin(): () => number {
	const began = performance.now();
	return () => Math.round((performance.now() - began) / 1000);
}

runCommandLine(main);
