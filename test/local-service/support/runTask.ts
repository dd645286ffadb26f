import { createModel } from '../../../local-service/agent/model';
import { type AgentTask, runAgent } from '../../../local-service/agent/runAgent';
import type { Step } from '../../../local-service/agent/Step';
import type { ModelServer } from './useModelServer';
import type { TestBrowser } from './useBrowser';

/** How an agent's task ended. */
export interface TaskEnd {
	/** What the agent returned. */
	output?: unknown;
	/** The message of what it threw. */
	error?: string;
	steps: Step[];
	/** How many steps were charged. */
	charges: number;
}

/** Runs the agent in a test's browser with its scripted model. */
export async function runTask(
	{ browser, settings }: Pick<TestBrowser, 'browser' | 'settings'>,
	model: ModelServer,
	task: Partial<AgentTask> = {},
): Promise<TaskEnd> {
	const steps: Step[] = [];
	let charges = 0;
	const whole: AgentTask = {
		directive: 'Do what the test says',
		browser,
		model: createModel(model.choice, { ...settings, ...model.settings() }),
		settings,
		secrets: settings.secrets,
		signal: new AbortController().signal,
		mayAct: async () => ({ wasHeld: false, takenOver: false }),
		charge: () => {
			charges++;
		},
		record: (step) => {
			steps.push(step);
		},
		...task,
	};
	try {
		return { output: await runAgent(whole), steps, charges };
	} catch (error) {
		return { error: (error as Error).message, steps, charges };
	}
}
