import type { ICredentialType, INodeType } from 'n8n-workflow';
import { readdirSync } from 'node:fs';
import path from 'node:path';

import type * as accountBudgets from '../../../nodes/service/Account';
import type * as clock from '../../../nodes/async/clock';

/** What the built package exports, and two modules of it that only a bench reaches into. */
type Built = {
	BrowserAgent: new () => INodeType;
	BrowserAgentTrigger: new () => INodeType;
	BrowserAgentApi: new () => ICredentialType;
} & typeof accountBudgets &
	typeof clock;

/** The package as it is built. */
export function loadBuilt(): Built {
	const folder = process.env.BENCH_PACKAGE ?? '';
	const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- what is built is found at run time
	return Object.assign({}, ...files.map((name) => require(path.join(folder, name)))) as Built;
}

/** Makes the package's time run faster, and its minute with it. */
export function setScale(scale: number): void {
	const { createClock, setClock } = loadBuilt();
	setClock(createClock(scale));
}

/** Where a row asks for what the work costs, nobody waits. */
export function setLimitsOff(): void {
	const none = { calls: 1_000_000, windowMs: 1 };
	loadBuilt().setServiceLimits({
		start: none,
		status: none,
		balance: none,
	});
}

/** Forgets all calls of all accounts. */
export function forgetCalls(): void {
	loadBuilt().setServiceLimits();
}
