import fc from 'fast-check';
import { parseArgs } from 'node:util';

import { say } from '../commandLine';
import { buildNodes } from '../engine/buildNodes';
import { fuzzCases } from './arbitraries/fuzzCases';
import type { FuzzCase } from './FuzzCase';
import { violations, type Violation } from './invariants';
import { runCase } from './runCase';

const MAX_REPEATS = 2;
const MAX_SHRINK_MS = 60_000;
const MAX_CASE_CHARACTERS = 6_000;

type Nodes = Awaited<ReturnType<typeof buildNodes>>;

const totals = { cases: 0, requests: 0, failedRuns: 0, maxBlockedMs: 0 };

/**
 * `npm run fuzz -- [--cases 300] [--seed 7] [--path 12:0:1]`: returns whether all promises are
 * kept.
 */
async function main(args: string[]): Promise<boolean> {
	const { values } = parseArgs({
		args,
		options: {
			cases: { type: 'string', default: '300' },
			seed: { type: 'string', default: String(Date.now() % 1_000_000) },
			path: { type: 'string' },
		},
	});
	return await fuzz(await buildNodes(), Number(values.cases), Number(values.seed), values.path);
}

async function fuzz(nodes: Nodes, numRuns: number, seed: number, path?: string): Promise<boolean> {
	say(`Seed ${seed}: ${numRuns} cases`);
	const began = performance.now();
	let shrinkUntil = Infinity;
	const property = fc.asyncProperty(fuzzCases, async (one) => {
		// Reports what was found rather than shrink it for ever.
		if (performance.now() > shrinkUntil) return;
		const found = await check(nodes, one);
		if (found.length === 0) return;
		shrinkUntil = Math.min(shrinkUntil, performance.now() + MAX_SHRINK_MS);
		throw new Error(found.map(({ rule, evidence }) => `- ${rule}: ${evidence}`).join('\n'));
	});
	const result = await fc.check(property, { numRuns, seed, path, includeErrorInReport: false });

	const seconds = Math.round((performance.now() - began) / 1000);
	say(
		`${totals.cases} cases in ${seconds} s, ${totals.requests} requests, ` +
			`${totals.failedRuns} runs with errors, event loop blocked for ${Math.round(totals.maxBlockedMs)} ms at most`,
	);
	if (!result.failed) return true;
	say(`\nFailed. Repeat: npm run fuzz -- --seed ${seed} --path ${result.counterexamplePath}`);
	say(String(result.errorInstance));
	say(JSON.stringify(result.counterexample?.[0]).slice(0, MAX_CASE_CHARACTERS));
	return false;
}

/**
 * The violations of a case; those that the machine's load may have caused, only if they come again.
 */
async function check(nodes: Nodes, fuzzCase: FuzzCase): Promise<Violation[]> {
	for (let repeats = 0; ; repeats++) {
		const observation = await runCase(nodes, fuzzCase);
		totals.cases++;
		totals.requests += observation.requests.length;
		totals.failedRuns += observation.errors.length > 0 ? 1 : 0;
		totals.maxBlockedMs = Math.max(totals.maxBlockedMs, observation.blockedMs);
		const found = violations(fuzzCase, observation);
		const isCertain = found.length === 0 || found.some(({ mayBeLoad }) => mayBeLoad !== true);
		if (isCertain || repeats === MAX_REPEATS) return found;
	}
}

main(process.argv.slice(2)).then(
	// Ends the process, since a case that did not end is still running.
	(isGood) => process.exit(isGood ? 0 : 1),
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
		process.exit(1);
	},
);
