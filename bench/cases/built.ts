import type { ICredentialType, INodeType } from 'n8n-workflow';
import path from 'node:path';

import type * as accountBudgets from '../../nodes/client/accountBudgets';
import type * as clock from '../../nodes/jobs/clock';

const DIST = path.join(process.env.BENCH_PACKAGE ?? '', 'dist');

interface Built {
	'nodes/BrowserAgent/BrowserAgent.node': { BrowserAgent: new () => INodeType };
	'nodes/BrowserAgentTrigger/BrowserAgentTrigger.node': {
		BrowserAgentTrigger: new () => INodeType;
	};
	'credentials/BrowserAgentApi.credentials': { BrowserAgentApi: new () => ICredentialType };
	'nodes/client/accountBudgets': typeof accountBudgets;
	'nodes/jobs/clock': typeof clock;
}

/** A module of the package as it is built. */
export function loadBuilt<File extends keyof Built>(file: File): Built[File] {
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- what is built is found at run time
	return require(path.join(DIST, `${file}.js`)) as Built[File];
}

/** Makes the package's time run faster, and its minute with it. */
export function setScale(scale: number): void {
	const { createClock, setClock } = loadBuilt('nodes/jobs/clock');
	setClock(createClock(scale));
}

/** Where a row asks for what the work costs, nobody waits. */
export function setLimitsOff(): void {
	const none = { calls: 1_000_000, windowMs: 1 };
	loadBuilt('nodes/client/accountBudgets').setServiceLimits({
		start: none,
		status: none,
		balance: none,
	});
}

/** Forgets all calls of all accounts. */
export function forgetCalls(): void {
	loadBuilt('nodes/client/accountBudgets').setServiceLimits();
}
