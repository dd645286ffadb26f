import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { readSettings } from '../../local-service/settings';
import { SettingError } from '../../local-service/SettingError';
import { runCommandLine, say } from '../commandLine';
import { stopSignal } from '../sandbox/stopSignal';
import { measureModels, type Try } from './measureModels';
import { ScriptedModel } from './ScriptedModel';
import { TASKS } from './tasks';
import { toTable } from './toTable';

const TIMES = 3;
const MAX_STEPS = 30;
const USUAL_STEPS = 5;

/**
 * `npm run test:agent -- [--times 3] [--scripted]`: ten tasks for each model in `MODELS`, or for a
 * scripted one, and a table. Returns whether all were solved.
 */
async function main(args: string[]): Promise<boolean> {
	const { values } = parseArgs({
		args,
		options: { times: { type: 'string' }, scripted: { type: 'boolean', default: false } },
	});
	const times = Number(values.times ?? TIMES);
	if (!Number.isInteger(times) || times < 1) {
		throw new SettingError('--times must be a whole number, at least 1');
	}
	const scripted = values.scripted ? new ScriptedModel() : undefined;
	await scripted?.listen();
	const dataFolder = mkdtempSync(path.join(tmpdir(), 'browser-agent-kit-'));
	try {
		const own = scripted && { MODELS: 'local/careful', MODEL_BASE_URL: scripted.url };
		const read = readSettings({ ...process.env, ...own });
		const agentMaxSteps = Math.min(read.agentMaxSteps, MAX_STEPS);
		const jobs = TASKS.length * times * read.models.length;
		say(
			`${jobs} jobs, one after the other: some ${jobs * USUAL_STEPS} calls of models, at most ` +
				`${jobs * agentMaxSteps}.\n`,
		);
		const tries = await measureModels(
			{ ...read, agentMaxSteps, dataFolder },
			{ tasks: TASKS, times, onTry: (done) => say(toLine(done)), signal: stopSignal() },
		);
		say(`\n${toTable(tries)}`);
		return tries.length === jobs && tries.every(({ problem }) => problem === undefined);
	} finally {
		scripted?.close();
		rmSync(dataFolder, { recursive: true, force: true });
	}
}

function toLine({ model, task, problem, steps, seconds }: Try): string {
	const result = problem === undefined ? 'solved' : `not solved: ${problem}`;
	return `${model}, ${task}: ${result} (${steps} steps, ${seconds.toFixed(0)} s)`;
}

runCommandLine(main);
