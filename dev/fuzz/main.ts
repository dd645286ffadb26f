import './quietEngine';
import '../engine/environment';

import fc from 'fast-check';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { VirtualClock } from '../engine/virtualClock';
import { fuzzCases } from './arbitraries/fuzzCases';
import type { FuzzCase } from './FuzzCase';
import { violations, type Violation } from './invariants';
import { buildAndLoadNodes } from './loadNodes';
import { measure } from './measure';
import { Network } from './network';
import { runCase, type Bed } from './runCase';
import { ServerProcess } from './ServerProcess';

const USAGE = 'npm run fuzz -- [--cases 300] [--seed 7] [--path 12:0:1] | --measure';
const CACHE = path.join(__dirname, '../../.cache');
const REPEATS = 2;
const MAX_SHRINK_MS = 60_000;
const MAX_CASE_CHARACTERS = 6_000;

/** What the cases so far have shown. */
interface Totals {
	cases: number;
	requests: number;
	starts: number;
	failedRuns: number;
	maxBlockedMs: number;
}

/**
 * `npm run fuzz`: runs random cases of both nodes, as they are built, against a service that answers
 * anything, and returns whether all promises were kept. A case that breaks one is made as small as
 * possible and printed with the seed and the path that repeat it. `--measure` runs large answers only.
 */
async function main(args: string[]): Promise<boolean> {
	const { values } = parseArgs({
		args,
		options: {
			cases: { type: 'string', default: '300' },
			seed: { type: 'string', default: String(Date.now() % 1_000_000) },
			path: { type: 'string' },
			measure: { type: 'boolean', default: false },
		},
	});
	const numRuns = Number(values.cases);
	const seed = Number(values.seed);
	if (!Number.isInteger(numRuns) || !Number.isInteger(seed)) throw new Error(USAGE);

	mkdirSync(CACHE, { recursive: true });
	const folder = mkdtempSync(path.join(CACHE, 'fuzz-'));
	try {
		return await withBed(folder, async (bed) => {
			if (!values.measure) return await fuzz(bed, { numRuns, seed, path: values.path });
			for (const line of await measure(bed)) say(line);
			return true;
		});
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function withBed<T>(folder: string, use: (bed: Bed) => Promise<T>): Promise<T> {
	const nodes = await buildAndLoadNodes(folder);
	const { server, service, fileHost } = await ServerProcess.start();
	const network = new Network();
	network.watch();
	server.onStall = (port) => network.noteStall(port);
	try {
		const at = (port: number) => `http://127.0.0.1:${port}`;
		return await use({ nodes, server, network, service: at(service), fileHost: at(fileHost) });
	} finally {
		network.unwatch();
		await server.end();
	}
}

async function fuzz(
	bed: Bed,
	options: { numRuns: number; seed: number; path?: string },
): Promise<boolean> {
	say(`Seed ${options.seed}: ${options.numRuns} cases`);
	const began = performance.now();
	const totals: Totals = { cases: 0, requests: 0, starts: 0, failedRuns: 0, maxBlockedMs: 0 };
	let shrinkUntil = Infinity;
	const property = fc.asyncProperty(
		fuzzCases(bed.nodes.create(new VirtualClock())),
		async (one) => {
			// What has been found is worth more than its smallest form.
			if (performance.now() > shrinkUntil) return;
			const found = await check(bed, one, totals);
			if (found.length === 0) return;
			shrinkUntil = Math.min(shrinkUntil, performance.now() + MAX_SHRINK_MS);
			throw new Error(found.map(({ rule, evidence }) => `- ${rule}: ${evidence}`).join('\n'));
		},
	);
	const result = await fc.check(property, { ...options, includeErrorInReport: false });

	const seconds = Math.round((performance.now() - began) / 1000);
	say(
		`${totals.cases} cases in ${seconds} s, ${totals.requests} requests, ${totals.starts} starts, ` +
			`${totals.failedRuns} runs with errors, event loop blocked for ${Math.round(totals.maxBlockedMs)} ms at most`,
	);
	if (!result.failed) return true;
	const { counterexample, counterexamplePath, errorInstance } = result;
	say(`\nFailed. Repeat: npm run fuzz -- --seed ${options.seed} --path ${counterexamplePath}`);
	say(errorInstance instanceof Error ? errorInstance.message : String(errorInstance));
	say(shown(counterexample?.[0]));
	return false;
}

/** The violations of a case; those that the machine's load may have caused, only if they come again. */
async function check(bed: Bed, fuzzCase: FuzzCase, totals: Totals): Promise<Violation[]> {
	const observation = await runCase(bed, fuzzCase);
	let found = violations(fuzzCase, observation);
	for (
		let count = 0;
		count < REPEATS && found.length > 0 && found.every(({ mayBeLoad }) => mayBeLoad);
		count++
	) {
		found = violations(fuzzCase, await runCase(bed, fuzzCase));
	}
	totals.cases++;
	totals.requests += observation.arrivals.requests;
	totals.starts += observation.arrivals.starts.length;
	totals.failedRuns += observation.errors.length > 0 ? 1 : 0;
	totals.maxBlockedMs = Math.max(totals.maxBlockedMs, observation.blockedMs);
	return found;
}

function shown(fuzzCase: FuzzCase | undefined): string {
	const text = JSON.stringify(fuzzCase);
	return text.length > MAX_CASE_CHARACTERS ? `${text.slice(0, MAX_CASE_CHARACTERS)}…` : text;
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

main(process.argv.slice(2)).then(
	// Not at the end of all work: a case that did not end is still at it.
	(isGood) => process.exit(isGood ? 0 : 1),
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
		process.exit(1);
	},
);
